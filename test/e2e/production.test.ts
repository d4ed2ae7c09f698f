import { fileURLToPath } from "node:url";
import { createTestHarness } from "wrangler";
import { issueToken } from "../../src/cli/issue-token.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { createLocalTarget, type TargetPlatform } from "../../src/deploy/local-target.ts";
import { rollback } from "../../src/deploy/rollback.ts";
import type { TokenStore } from "../../src/model/token.ts";
import { layersOf } from "../../src/pack/layers.ts";
import { packSkills } from "../../src/pack/pack.ts";
import { describeSession, SKILLS } from "./session.suite.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const now = (): Date => new Date();

/** The bindings of wrangler.toml that a deploy writes to. */
interface EdgeEnv {
  readonly SKILLS_KV: Awaited<ReturnType<TargetPlatform["kv"]>>;
  readonly SKILLS_R2: Awaited<ReturnType<TargetPlatform["r2"]>>;
  readonly TENANTS: { idFromName(name: string): unknown; get(id: unknown): TokenStore };
}

describeSession("the Workers as wrangler builds them for production", async () => {
  const server = createTestHarness({
    root: ROOT,
    workers: [
      {
        configPath: "wrangler.toml",
        // Production asks before it runs; this operator does not.
        vars: { EDGE_SKILLS_CONFIG: JSON.stringify({ approval: { run_skill_script: "never" } }) },
      },
      { configPath: "src/sandbox/wrangler.toml" },
    ],
  });
  const { url } = await server.listen();
  const env = (await server.getWorker("edge-skills").getEnv()) as unknown as EdgeEnv;
  const target = await createLocalTarget(
    {
      kv: async () => env.SKILLS_KV,
      r2: async () => env.SKILLS_R2,
      tokensOf: async (tenant) => env.TENANTS.get(env.TENANTS.idFromName(tenant)),
      stop: () => server.close(),
    },
    "test harness",
  );
  const deployDirectory = async (directory: string): Promise<void> => {
    const { layers } = await packSkills({ layers: layersOf([directory]) });
    await deploy(target, layers, { channel: "live", by: "test", now });
  };
  const issue = async (tenant: string): Promise<string> =>
    (await issueToken(target, tenant, { scopes: ["read", "run"], channel: "live", now })).token;

  await deployDirectory(SKILLS);
  return {
    url: url.origin,
    token: await issue("platform"),
    tenants: { "tenant-a": await issue("tenant-a"), "tenant-b": await issue("tenant-b") },
    deploy: deployDirectory,
    async rollback() {
      await rollback(target, { layer: "platform", channel: "live", to: null, by: "test", now });
    },
    stop: () => target.close(),
  };
});
