/**
 * Owns a process that serves a local state as a deployed edge serves its own (pointers are kept for seconds, everything is audited), where
 * `dev` looks for changes with every request: `node scripts/bench/deployed-edge.ts STATE SETTINGS`. Says that it is ready, and ends, as `dev` does.
 */
import { readFileSync } from "node:fs";
import { issueToken } from "../../src/cli/issue-token.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { PLATFORM_LAYER } from "../../src/model/layer.ts";
import type { Scope } from "../../src/model/token.ts";

const [state = "", settings = ""] = process.argv.slice(2);
const runner = await startRunnerProcess();
const config = JSON.stringify({
  ...JSON.parse(readFileSync(settings, "utf8")),
  approval: { run_skill_script: "never" },
});
const platform = await startLocalPlatform({ state, runner, config, mode: "production", onLog: () => undefined });
const target = await createLocalTarget(platform, state);
const issue = async (scopes: readonly Scope[]) => {
  const { token } = await issueToken(target, PLATFORM_LAYER, { scopes, channel: "live", now: () => new Date() });
  return token;
};
const tokens = { token: await issue(["read", "run"]), operator_token: await issue(["admin"]) };
console.log(JSON.stringify({ ready: { url: platform.url.origin, ...tokens, tenant_tokens: {} } }));
process.once("SIGTERM", async () => {
  await target.close();
  await runner.stop();
});
