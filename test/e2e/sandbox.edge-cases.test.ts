/** Owns running every case of sandbox.json against a running edge (`edge-skills dev`), as a hosted agent would; never a case of its own. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalEdge, startEdge } from "../../scripts/local-edge.ts";
import type { JsonValue } from "../../src/model/record.ts";
import type { RunLimits, RunResult, Runtime } from "../../src/model/run.ts";
import { differences, type Expectation } from "./sandbox.expect.ts";
import { type CaseFile, startCanary } from "./sandbox.harness.ts";

interface Run {
  readonly source?: string;
  readonly arguments?: JsonValue;
  readonly expect?: Expectation;
}

interface Planted {
  readonly host_env?: Readonly<Record<string, string>>;
  readonly other_skills?: readonly {
    readonly tenant?: string;
    readonly name: string;
    readonly files: readonly CaseFile[];
  }[];
}

interface Case {
  readonly id: string;
  readonly why: string;
  readonly input: Run & {
    readonly language: Runtime;
    readonly path?: string;
    readonly files?: readonly CaseFile[];
    readonly limits?: Partial<RunLimits>;
    readonly egress?: { readonly allow: readonly string[]; readonly stub: Readonly<Record<string, object>> };
    readonly planted?: Planted;
    readonly runs?: readonly Run[];
    readonly at_once?: boolean;
  };
  readonly expect: Expectation;
}

interface ToolAnswer {
  readonly run?: RunResult;
  readonly error?: { readonly code: string; readonly message: string };
}

const TENANT = "acme";
const ENDINGS: Readonly<Record<Runtime, string>> = { python: "py", bash: "sh", javascript: "js" };
const cases = JSON.parse(readFileSync(new URL("../fixtures/cases/sandbox.json", import.meta.url), "utf8")) as Case[];
const plantedEnv = Object.assign({}, ...cases.map((one) => one.input.planted?.host_env ?? {})) as Record<
  string,
  string
>;

let directory: string;
let edge: LocalEdge;
let canary: Awaited<ReturnType<typeof startCanary>>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "edge-cases-"));
  canary = await startCanary();
  for (const one of cases) {
    writeCase(one);
  }
  const rules = join(directory, "egress.json");
  writeFileSync(rules, JSON.stringify(egressOfCases()));
  Object.assign(process.env, plantedEnv);
  edge = await startEdge([join(directory, "skills"), "--state", join(directory, "state"), "--egress", rules]);
});

afterAll(async () => {
  await edge?.stop();
  canary?.server.close();
  for (const name of Object.keys(plantedEnv)) {
    delete process.env[name];
  }
  rmSync(directory, { recursive: true, force: true });
});

/** Cases that may take the runner's process down with them. */
const disruptive = /-(memory|endless-in-library)$/;
/** Cases that end at their time limit wait for it together. */
const slow = cases.filter((one) => one.input.limits?.timeout_ms !== undefined && !disruptive.test(one.id));
const quick = cases.filter((one) => !slow.includes(one));

describe("sandbox.json at the edge", () => {
  test.each(quick.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
    expect(await play(one), one.why).toEqual([]);
    expect(canary.hits()).toBe(0);
  });

  describe.concurrent("with time limits", () => {
    test.each(slow.map((one) => [one.id, one] as const))("%s", async (_id, one) => {
      const wrong = await play(one);
      expect(wrong, one.why).toEqual([]);
    });
  });

  test("the edge answers still", async () => {
    expect((await fetch(`${edge.url}/healthz`)).status).toBe(200);
  });
});

/** A case becomes a skill of its name; each of its runs a script of it. */
function writeCase({ id, input }: Case): void {
  const root = join(directory, "skills/tenants", TENANT, id);
  writeFile(root, { path: "SKILL.md", text: `---\nname: ${id}\ndescription: A case.\n---\n` });
  for (const file of input.files ?? []) {
    writeFile(root, file);
  }
  for (const [i, run] of runsOf({ id, input } as Case).entries()) {
    const text = (run.source ?? input.source ?? "")
      .replaceAll("@@CANARY@@", `127.0.0.1:${canary.port}`)
      .replaceAll("@@CANARY_PORT@@", String(canary.port));
    writeFile(root, { path: scriptOf(input, i), text });
  }
  for (const other of input.planted?.other_skills ?? []) {
    const home = join(directory, "skills/tenants", other.tenant ?? TENANT, other.name);
    for (const file of other.files) {
      writeFile(home, file);
    }
  }
}

function writeFile(root: string, file: CaseFile): void {
  const path = join(root, file.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, file.base64 === undefined ? (file.text ?? "") : Buffer.from(file.base64, "base64"));
}

function scriptOf({ path, language }: Case["input"], i: number): string {
  const first = path ?? `scripts/main.${ENDINGS[language]}`;
  return i === 0 ? first : first.replace(/main(?=\.\w+$)/, `main${i + 1}`);
}

function runsOf({ input, expect: expected }: Case): readonly Run[] {
  return input.runs ?? [{ ...input, expect: expected }];
}

/** The network of each case for its own skill. */
function egressOfCases(): object {
  const withNetwork = cases.filter((one) => one.input.egress !== undefined);
  return {
    allow: withNetwork.flatMap(({ id, input }) =>
      (input.egress?.allow ?? []).map((origin) => ({ origin, skill: id, tenant: TENANT })),
    ),
    stub: Object.assign({}, ...withNetwork.map(({ input }) => input.egress?.stub)) as object,
  };
}

async function play(one: Case): Promise<string[]> {
  const { input } = one;
  const start = async (run: Run, i: number) => {
    const started = performance.now();
    const answer = await call({
      skill_name: one.id,
      script_name: scriptOf(input, i),
      arguments: run.arguments ?? input.arguments ?? null,
      ...(input.limits === undefined ? {} : { limits: input.limits }),
    });
    if (answer.run === undefined) {
      const isRight = one.expect.or_not_runnable !== undefined && answer.error?.code === "script-not-runnable";
      return isRight ? [] : [`${answer.error?.code}: ${answer.error?.message}`];
    }
    return differences({ result: answer.run, ms: performance.now() - started, asked: 0 }, run.expect ?? {});
  };
  const runs = runsOf(one);
  if (input.at_once) {
    return (await Promise.all(runs.map(start))).flat();
  }
  const wrong: string[] = [];
  for (const [i, run] of runs.entries()) {
    wrong.push(...(await start(run, i)));
  }
  return wrong;
}

async function call(args: object): Promise<ToolAnswer> {
  const response = await fetch(`${edge.url}/v1/tools/run_skill_script`, {
    method: "POST",
    headers: { Authorization: `Bearer ${edge.tenant_tokens[TENANT]}`, "Content-Type": "application/json" },
    body: JSON.stringify(args),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as ToolAnswer;
}
