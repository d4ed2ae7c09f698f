/** Owns what a run costs the edge's storage once its skill is known: nothing. The real edge, its reads counted, and the real runner. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BenchPlatform, startBench } from "../../scripts/bench/platform.ts";
import { buildSandbox } from "../../scripts/build-sandbox.ts";
import { issueToken } from "../../src/cli/issue-token.ts";
import { deploy } from "../../src/deploy/deploy.ts";
import { startLocalPlatform } from "../../src/deploy/local-platform.ts";
import { createLocalTarget } from "../../src/deploy/local-target.ts";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { packSkills } from "../../src/pack/pack.ts";

const SCRIPTS = {
  "main.py": "import json, sibling\nprint(json.dumps(sibling.WORD), open('data.txt').read())",
  "main.sh": "cat data.txt; python3 -c 'import json; print(json.dumps(1))'",
  "main.js": "console.log(require('fs').readFileSync('data.txt', 'utf8'))",
} as const;

const folder = mkdtempSync(join(tmpdir(), "warm-runs-"));
let runner: RunnerProcess;
let platform: BenchPlatform;
const tokens = { platform: "", shared: "" };

beforeAll(async () => {
  await buildSandbox();
  const skill = join(folder, "skills/warm");
  mkdirSync(join(skill, "scripts"), { recursive: true });
  writeFileSync(join(skill, "SKILL.md"), "---\nname: warm\ndescription: Runs again.\n---\nRun it.\n");
  writeFileSync(join(skill, "data.txt"), "data\n");
  writeFileSync(join(skill, "scripts/sibling.py"), "WORD = 'sibling'\n");
  for (const [name, source] of Object.entries(SCRIPTS)) {
    writeFileSync(join(skill, "scripts", name), source);
  }
  const state = join(folder, "state");
  const target = await createLocalTarget(await startLocalPlatform({ state }), state);
  const { layers } = await packSkills({ roots: [join(folder, "skills")] });
  await deploy(target, layers, { channel: "live", by: "test", now: () => new Date() });
  for (const tenant of ["platform", "shared"] as const) {
    const rights = { scopes: ["read", "run"] as const, channel: "live", now: () => new Date() };
    tokens[tenant] = (await issueToken(target, tenant, rights)).token;
  }
  await target.close();
  runner = await startRunnerProcess();
  const config = { approval: { run_skill_script: "never" }, tenants: { shared: { isolation: "tenant" } } };
  platform = await startBench({
    state,
    runner,
    entry: "./edge-worker.ts",
    edgeEnv: { EDGE_SKILLS_CONFIG: JSON.stringify(config) },
  });
});

afterAll(async () => {
  await platform?.stop();
  await runner?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The keys that a run read, but for the pointer: it is looked at anew every few seconds, whatever is asked. */
async function run(token: string, script_name: string) {
  const response = await fetch(new URL("/v1/tools/run_skill_script", platform.edge), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ skill_name: "warm", script_name }),
  });
  const answer = (await response.json()) as { readonly run?: { readonly exit_code: number; readonly stdout: string } };
  const keys = (response.headers.get("X-Bench-Keys") ?? "").split(" ");
  return {
    ended: answer.run?.exit_code,
    keys: keys.filter((key) => key !== "" && !key.startsWith("channel/")),
  };
}

test("the first run of a script reads what it is made of, and a second run of it in any language nothing", async () => {
  const first = await run(tokens.platform, "main.py");
  expect(first).toEqual({ ended: 0, keys: expect.arrayContaining([expect.stringMatching(/^blob\//)]) });
  for (const [tenant, token] of Object.entries(tokens)) {
    for (const script of Object.keys(SCRIPTS)) {
      await run(token, script);
      expect([tenant, script, await run(token, script)]).toEqual([tenant, script, { ended: 0, keys: [] }]);
    }
  }
});
