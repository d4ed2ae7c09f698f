import { startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../../src/deploy/local-target.ts";
import { describeDeployTarget } from "../../contract/deploy-target.contract.ts";
import { openTargetOn, patienceOn } from "../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";
import { MemoryTarget } from "../../helpers/memory-target.ts";

describeDeployTarget({ name: "MemoryTarget", create: async () => new MemoryTarget() });

describeDeployTarget({
  name: "createLocalTarget()",
  create: async () => createLocalTarget(await startLocalPlatform({ state: null }), "nowhere"),
});

describeDeployTarget({
  name: "openCloudflareTarget()",
  tokens: "elsewhere",
  create: async () => {
    const standIn = await CloudflareStandIn.start();
    const target = await openTargetOn(standIn);
    return { ...target, close: () => standIn.stop() };
  },
});

describeDeployTarget({
  name: "openCloudflareTarget() with wrangler's login",
  tokens: "elsewhere",
  conditions: "looked-at",
  create: async () => {
    const standIn = await CloudflareStandIn.start();
    const target = await openTargetOn(standIn, patienceOn(standIn), "login");
    return { ...target, close: () => standIn.stop() };
  },
});
