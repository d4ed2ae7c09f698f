/** Measures warm `load_skill` against a bare Hono Worker that answers the same bytes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import autocannon from "autocannon";
import { bundle, seed, startBench } from "./platform.ts";
import { generatedLayer, skillName } from "./skills.ts";
import { median, type Row, short } from "./table.ts";

const ROUNDS = 5;
const SECONDS = 3;

export async function measureThroughput(): Promise<Row[]> {
  const state = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
  const token = await seed(state, await generatedLayer(100));
  const answer = await oneAnswer(state, token);
  const platform = await startBench({
    state,
    other: await bundle("./bare-worker.ts"),
    otherEnv: { ANSWER: { type: "text", value: answer } },
  });
  try {
    const other = platform.other ?? platform.edge;
    const subjects = [
      new URL("/v1/tools/load_skill", platform.edge),
      new URL("/bare", other),
      new URL("/reading", other),
    ];
    const rounds: [edge: number, bare: number, reading: number][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const rates: number[] = [];
      for (const url of subjects) {
        rates.push(await load(url, token));
      }
      const [edge = 0, bare = 0, reading = 0] = rates;
      rounds.push([edge, bare, reading]);
    }
    return [
      { what: "edge-skills, requests/s", measured: short(median(rounds.map(([edge]) => edge))), goal: "" },
      { what: "bare Hono Worker, requests/s", measured: short(median(rounds.map(([, bare]) => bare))), goal: "" },
      { what: "ratio", measured: short(median(rounds.map(([edge, bare]) => edge / bare))), goal: "goal ≥ 0.8" },
      {
        what: "ratio to a Hono Worker that reads the call",
        measured: short(median(rounds.map(([edge, , reading]) => edge / reading))),
        goal: "",
      },
    ];
  } finally {
    await platform.stop();
    rmSync(state, { recursive: true, force: true });
  }
}

async function oneAnswer(state: string, token: string): Promise<string> {
  const platform = await startBench({ state });
  const response = await fetch(new URL("/v1/tools/load_skill", platform.edge), {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
    body: JSON.stringify({ skill_name: skillName(7) }),
  });
  const text = await response.text();
  await platform.stop();
  if (!response.ok) {
    throw new Error(text);
  }
  return text;
}

async function load(url: URL, token: string): Promise<number> {
  const result = await autocannon({
    url: url.href,
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify({ skill_name: skillName(7) }),
    connections: 16,
    duration: SECONDS,
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${result.non2xx} bad answers, ${result.errors} errors from ${url}`);
  }
  return result.requests.average;
}
