import { startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../../src/deploy/local-target.ts";
import { describeDeployTarget } from "../../contract/deploy-target.contract.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";

describeDeployTarget({ name: "MemoryTarget", create: async () => new MemoryTarget() });

describeDeployTarget({
  name: "createLocalTarget()",
  create: async () => createLocalTarget(await startLocalPlatform({ state: null }), "nowhere"),
});
