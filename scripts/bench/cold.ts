/** Measures a cold isolate's first `load_skill`, and what a full catalogue takes of its heap. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectInspector, usedHeap } from "./inspector.ts";
import { seed, startBench } from "./platform.ts";
import { generatedLayer, skillName } from "./skills.ts";
import { type Row, short } from "./table.ts";

const MEBIBYTE = 1024 * 1024;

/** For each number of skills: the first answer of a fresh isolate, and the heap it leaves. */
export async function measureCold(counts: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const count of counts) {
    const state = mkdtempSync(join(tmpdir(), "edge-skills-bench-"));
    try {
      rows.push(...(await measureOne(state, count)));
    } finally {
      rmSync(state, { recursive: true, force: true });
    }
  }
  return rows;
}

async function measureOne(state: string, count: number): Promise<Row[]> {
  const token = await seed(state, await generatedLayer(count));
  const platform = await startBench({ state, entry: "./edge-worker.ts", inspector: "on" });
  try {
    if (platform.inspector === null) {
      throw new Error("the platform was started without an inspector");
    }
    const inspector = await connectInspector(platform.inspector, "edge-skills");
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(new URL(path, platform.edge), { ...init, headers: { Authorization: `Bearer ${token}` } });
    // Loads the module, not the skills.
    const visit = async () => (await ask("/healthz")).text();
    await visit();
    const before = await usedHeap(inspector, visit);

    const begun = performance.now();
    const response = await ask("/v1/tools/load_skill", {
      method: "POST",
      body: JSON.stringify({ skill_name: skillName(count - 1) }),
    });
    await response.text();
    const took = performance.now() - begun;
    const reads = response.headers.get("X-Bench-Reads") ?? "?";
    const heap = (await usedHeap(inspector, visit)) - before;
    inspector.close();
    return [
      { what: `${count} skills: storage reads`, measured: reads, goal: "≤ 3 a layer" },
      { what: `${count} skills: first answer, ms`, measured: short(took), goal: "" },
      {
        what: `${count} skills: heap of the catalogue, MiB`,
        measured: short(heap / MEBIBYTE),
        goal: count === 10_000 ? "≤ 32" : "",
      },
    ];
  } finally {
    await platform.stop();
  }
}
