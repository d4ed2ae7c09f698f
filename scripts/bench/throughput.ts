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
  const bare = await bundle("./bare-worker.ts");
  const platform = await startBench({ state, other: withAnswer(bare, answer) });
  try {
    const ratios: number[] = [];
    const rates: { edge: number; bare: number }[] = [];
    await load(platform.edge, token);
    for (let round = 0; round < ROUNDS; round++) {
      const edge = await load(platform.edge, token);
      const other = platform.other === null ? Number.NaN : await load(platform.other, token);
      ratios.push(edge / other);
      rates.push({ edge, bare: other });
    }
    return [
      { what: "edge-skills, requests/s", measured: short(median(rates.map((rate) => rate.edge))), goal: "" },
      { what: "bare Hono Worker, requests/s", measured: short(median(rates.map((rate) => rate.bare))), goal: "" },
      { what: "ratio", measured: short(median(ratios)), goal: "goal ≥ 0.8" },
    ];
  } finally {
    await platform.stop();
    rmSync(state, { recursive: true, force: true });
  }
}

/** The bare Worker has no storage: the answer is a binding of its own, put in front of the module. */
function withAnswer(module: string, answer: string): string {
  return `${module.replace(/export\s*\{\s*(\w+) as default\s*\};?\s*$/, (_, app) => `const ANSWER=${JSON.stringify(answer)};export default{fetch:(request,env,ctx)=>${app}.fetch(request,{ANSWER},ctx)};`)}`;
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
    url: new URL("/v1/tools/load_skill", url).href,
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
