/** Owns fifty runs at once at a running edge: those that hit every limit in every language, one that takes its process down, and what the edge's own answers take meanwhile. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalEdge, startEdge } from "../../scripts/local-edge.ts";
import type { RunResult } from "../../src/model/run.ts";
import { ALL_LIMITS, EGRESS, expected, HITS, STOPPED } from "./sandbox.hits.ts";

const CROWD = 50;
const TENANTS = ["acme", "globex", "initech"] as const;
const ENDINGS = { python: "py", bash: "sh", javascript: "js" } as const;

/** Takes all memory of its process: of JavaScript only the platform knows what it takes. */
const MEMORY = "const all = []; for (;;) all.push(new Array(1e6).fill(all.length + 0.5));";

const scripts = HITS.map((one, i) => ({ ...one, path: `scripts/hit-${i}.${ENDINGS[one.runtime]}` }));

interface ToolAnswer {
  readonly run?: RunResult;
  readonly error?: { readonly code: string; readonly retry_after_ms?: number };
}

const place = mkdtempSync(join(tmpdir(), "sandbox-crowd-"));
let edge: LocalEdge;
const tokens: string[] = [];

beforeAll(async () => {
  const files = {
    "skills/crowd/SKILL.md": "---\nname: crowd\ndescription: Hits every limit.\n---\nRun it.\n",
    "skills/crowd/scripts/memory.js": MEMORY,
    ...Object.fromEntries(scripts.map(({ path, source }) => [`skills/crowd/${path}`, source])),
    "edge-skills.json": JSON.stringify({ limits: ALL_LIMITS }),
    "egress.json": JSON.stringify(EGRESS),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  const settings = ["--config", join(place, "edge-skills.json"), "--egress", join(place, "egress.json")];
  edge = await startEdge([join(place, "skills"), "--state", join(place, "state"), "--port", "0", ...settings]);
  for (const tenant of TENANTS) {
    const made = await ask(edge.operator_token, `/v1/tokens?tenant=${tenant}`, { scopes: ["read", "run"] });
    tokens.push(((await made.json()) as { token: string }).token);
  }
});

afterAll(async () => {
  await edge?.stop();
  rmSync(place, { recursive: true, force: true });
});

function ask(token: string, path: string, body: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(new URL(path, edge.url), { method: "POST", headers, body: JSON.stringify(body) });
}

/** What is answered, a busy runner asked again as it says. */
async function untilTaken(script_name: string, i: number, limits: object = {}): Promise<ToolAnswer> {
  for (;;) {
    const call = { skill_name: "crowd", script_name, limits };
    const response = await ask(tokens[i % tokens.length] ?? "", "/v1/tools/run_skill_script", call);
    const answer = (await response.json()) as ToolAnswer;
    if (answer.error?.code !== "runner-busy") {
      return answer;
    }
    await new Promise((resolve) => setTimeout(resolve, answer.error?.retry_after_ms ?? 0));
  }
}

/** The edge's own answers: what each call answered, and how long it took, as long as there is reason to ask. */
async function answersWhile(goOn: (asked: number) => boolean) {
  const calls = {
    load_skill: () => ask(tokens[0] ?? "", "/v1/tools/load_skill", { skill_name: "crowd" }),
    "/healthz": () => fetch(new URL("/healthz", edge.url)),
  };
  const entries = Object.entries(calls).map(async ([name, call]) => {
    const [took, statuses]: [number[], Set<number>] = [[], new Set()];
    while (goOn(took.length)) {
      const began = performance.now();
      const response = await call();
      await response.arrayBuffer();
      took.push(performance.now() - began);
      statuses.add(response.status);
    }
    return [name, { took: took.sort((a, b) => a - b), statuses: [...statuses] }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Runs a crowd, and asks the edge beside it; prints what its answers took, idle and then. */
async function beside<T>(what: string, crowd: () => readonly Promise<T>[]): Promise<readonly T[]> {
  const idle = await answersWhile((asked) => asked < CROWD);
  let left = CROWD;
  const runs = crowd().map((run) => run.finally(() => left--));
  const busy = await answersWhile(() => left > 0);
  const results = await Promise.all(runs);
  for (const [name, { took, statuses }] of Object.entries(busy)) {
    const of = (sorted: readonly number[] = []) =>
      [0.5, 0.99].map((share) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(1)).join(" · ");
    console.info(`${name} beside ${what}: p50 · p99 ${of(took)} ms, idle ${of(idle[name]?.took)} ms`);
    expect([name, statuses]).toEqual([name, [200]]);
  }
  return results;
}

test("fifty runs at once that hit every limit in every language, of three tenants: each gets its own right answer, now or when the runner has room, and the edge answers meanwhile", async () => {
  const crowd = Array.from({ length: CROWD }, (_, i) => scripts[i % scripts.length]).filter((one) => one !== undefined);
  const results = await beside(`${CROWD} runs that hit their limits`, () =>
    crowd.map((one, i) => untilTaken(one.path, i, one.limit === "wall" ? { timeout_ms: 4_000 } : {})),
  );
  expect(results.map(({ run, error }) => run ?? error)).toMatchObject(
    // In a crowd the clock may end a run before it has printed anything.
    crowd.map((one) => (one.limit === "wall" ? { ...STOPPED, limit: "wall" } : expected(one))),
  );
}, 300_000);

test("one of fifty takes all memory of its process: it is told so, and the others get their answers", async () => {
  const own = scripts.filter(({ limit }) => limit === "output" || limit === "files");
  const crowd = [
    { path: "scripts/memory.js", says: { exit_code: null, limit: "memory" } },
    ...Array.from({ length: CROWD - 1 }, (_, i) => own[i % own.length])
      .filter((one) => one !== undefined)
      .map((one) => ({ path: one.path, says: expected(one) })),
  ];
  const results = await beside("a run that takes its process down", () =>
    crowd.map(({ path }, i) => untilTaken(path, i)),
  );
  expect(results.map(({ run, error }) => run ?? error)).toMatchObject(crowd.map(({ says }) => says));
}, 300_000);
