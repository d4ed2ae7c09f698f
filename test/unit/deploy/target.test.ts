import { createEdgeApi } from "../../../src/deploy/edge/edge-api.ts";
import { openEdgeTarget } from "../../../src/deploy/edge/edge-target.ts";
import { startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../../src/deploy/local-target.ts";
import { describeDeployTarget } from "../../contract/deploy-target.contract.ts";
import { describeDeploying } from "../../contract/deploying.contract.ts";
import { openTargetOn, patienceOn } from "../../helpers/cloudflare/open-target.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";
import { startLocalEdge } from "../../helpers/local-edge.ts";
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
describeDeploying({ name: "MemoryTarget", create: async () => new MemoryTarget() });

describeDeploying({
  name: "createLocalTarget()",
  create: async () => createLocalTarget(await startLocalPlatform({ state: null }), "nowhere"),
});

describeDeploying({
  name: "openCloudflareTarget()",
  create: async () => {
    const standIn = await CloudflareStandIn.start();
    const target = await openTargetOn(standIn);
    return { ...target, close: () => standIn.stop() };
  },
});

describeDeploying({
  name: "openEdgeTarget()",
  create: async () => {
    const edge = await startLocalEdge();
    const token = await edge.token("platform", ["admin"]);
    const target = openEdgeTarget(createEdgeApi({ name: "edge", url: new URL(edge.url), token }));
    return { ...target, close: () => edge.stop() };
  },
});
