/** Plays one hosted agent's session against a local edge, prints it, and exits 0 only if every step was right. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type LocalEdge, runCli, startEdge } from "./local-edge.ts";

const SKILLS = fileURLToPath(new URL("../skills-bundle", import.meta.url));

interface ToolAnswer {
  readonly is_error: boolean;
  readonly content: string;
  readonly bundle: string;
  readonly run?: {
    readonly exit_code: number;
    readonly stdout: string;
    readonly files: readonly { readonly path: string }[];
  };
  readonly error?: { readonly code: string; readonly candidates: readonly string[] };
}

/** A hosted agent: it has an address and a token, no disk and no shell. */
class HostedAgent {
  readonly #edge: LocalEdge;

  constructor(edge: LocalEdge) {
    this.#edge = edge;
  }

  async context(): Promise<{ bundle: string; instructions: string; tools: { name: string }[] }> {
    const response = await fetch(`${this.#edge.url}/v1/context`, { headers: this.#headers() });
    assert.equal(response.status, 200);
    return (await response.json()) as Awaited<ReturnType<HostedAgent["context"]>>;
  }

  async call(tool: string, args: object): Promise<ToolAnswer> {
    const response = await fetch(`${this.#edge.url}/v1/tools/${tool}`, {
      method: "POST",
      headers: this.#headers(),
      body: JSON.stringify(args),
    });
    assert.equal(response.status, 200);
    return (await response.json()) as ToolAnswer;
  }

  #headers(): Record<string, string> {
    return { Authorization: `Bearer ${this.#edge.token}`, "Content-Type": "application/json" };
  }
}

function tell(step: string, outcome: string): void {
  console.log(`\n▸ ${step}\n${outcome.trim().replace(/^/gm, "    ")}`);
}

const beginning = (text: string, lines: number): string => text.split("\n").slice(0, lines).join("\n");

async function useSkills(agent: HostedAgent): Promise<void> {
  const context = await agent.context();
  assert.deepEqual(
    context.tools.map((tool) => tool.name),
    ["load_skill", "read_skill_resource", "run_skill_script"],
  );
  tell("GET /v1/context: what goes into the system prompt", beginning(context.instructions, 12));

  const loaded = await agent.call("load_skill", { skill_name: "unit-converter" });
  assert.match(loaded.content, /^<skill_content name="unit-converter">/);
  assert.match(loaded.content, /scripts\/convert\.py/);
  tell("load_skill unit-converter", beginning(loaded.content, 8));

  const table = await agent.call("read_skill_resource", {
    skill_name: "unit-converter",
    resource_name: "conversion-table.csv",
  });
  assert.equal(table.is_error, false);
  assert.match(table.content, /kilometer/);
  tell("read_skill_resource conversion-table.csv", beginning(table.content, 4));
}

async function runScripts(agent: HostedAgent): Promise<void> {
  const python = await agent.call("run_skill_script", {
    skill_name: "unit-converter",
    script_name: "scripts/convert.py",
    arguments: { value: 26.2, from: "miles", to: "kilometers" },
  });
  assert.equal(python.run?.stdout, "26.2 miles = 42.1648128 kilometers\n");
  tell("run_skill_script scripts/convert.py (Python)", python.content);

  const shell = await agent.call("run_skill_script", {
    skill_name: "code-review",
    script_name: "scripts/lint-check.sh",
    arguments: { name: "cart.py", code: "def add(x, items=[]):\n    return items\n" },
  });
  assert.equal(shell.run?.exit_code, 1);
  assert.equal(shell.run?.stdout, "cart.py:1: B201 mutable default argument is shared between calls\n");
  tell("run_skill_script scripts/lint-check.sh (shell): findings, so it exits with 1", shell.content);

  const typescript = await agent.call("run_skill_script", {
    skill_name: "csv-report",
    script_name: "scripts/report.ts",
    arguments: ["--input", "references/sample.csv", "--by", "region", "--value", "amount"],
  });
  assert.equal(typescript.run?.exit_code, 0);
  assert.deepEqual(
    typescript.run?.files.map((file) => file.path),
    ["out/report.md"],
  );
  tell("run_skill_script scripts/report.ts (TypeScript): a file comes back", typescript.content);
}

async function misspell(agent: HostedAgent): Promise<void> {
  const unknown = await agent.call("load_skill", { skill_name: "unit-convertor" });
  assert.equal(unknown.error?.code, "skill-not-found");
  assert.equal(unknown.error?.candidates[0], "unit-converter");
  tell('load_skill "unit-convertor": a slip is answered with candidates', unknown.content);
}

/** Deploys a changed skill and rolls it back while the agent goes on calling; every answer is whole, of one bundle or the other. */
async function deployMeanwhile(agent: HostedAgent, edge: LocalEdge, changed: string): Promise<void> {
  const env = { ...process.env, EDGE_SKILLS_TOKEN: edge.operator_token };
  let goOn = true;
  let calls = 0;
  const seen = new Map<string, boolean>();
  const calling = (async () => {
    while (goOn) {
      const answer = await agent.call("load_skill", { skill_name: "code-review" });
      assert.equal(answer.is_error, false);
      const isChanged = answer.content.includes("CHANGED BY THE DEMO");
      assert.equal(seen.get(answer.bundle) ?? isChanged, isChanged, "one bundle answered in two ways");
      seen.set(answer.bundle, isChanged);
      calls++;
    }
  })();

  appendFileSync(join(changed, "platform/code-review/SKILL.md"), "\nCHANGED BY THE DEMO\n");
  const deployed = await runCli(["deploy", changed, "--target", edge.url], { env });
  assert.equal(deployed.status, 0, deployed.stderr);
  const after = await agent.call("load_skill", { skill_name: "code-review" });
  assert.match(after.content, /CHANGED BY THE DEMO/);

  const rolledBack = await runCli(["rollback", "--target", edge.url], { env });
  assert.equal(rolledBack.status, 0, rolledBack.stderr);
  const back = await agent.call("load_skill", { skill_name: "code-review" });
  assert.doesNotMatch(back.content, /CHANGED BY THE DEMO/);

  goOn = false;
  await calling;
  assert.equal(seen.size, 2);
  tell(
    "deploy a changed skill, then roll back, while calls go on",
    `${deployed.stderr}${deployed.stdout}${rolledBack.stderr}${calls} calls meanwhile, all of them whole`,
  );
}

const folder = mkdtempSync(join(tmpdir(), "edge-skills-demo-"));
const changed = join(folder, "changed");
cpSync(SKILLS, changed, { recursive: true });
const edge = await startEdge([SKILLS, "--state", join(folder, "state"), "--port", "0"]);
try {
  tell("edge-skills dev skills-bundle", `serving at ${edge.url}`);
  const agent = new HostedAgent(edge);
  await useSkills(agent);
  await runScripts(agent);
  await misspell(agent);
  await deployMeanwhile(agent, edge, changed);
  console.log("\nAll of it was right.");
} finally {
  await edge.stop();
  rmSync(folder, { recursive: true, force: true });
}
