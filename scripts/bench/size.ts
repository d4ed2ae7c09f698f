/** Measures what is uploaded of the edge Worker. */
import { gzipSync } from "node:zlib";
import { bundle } from "./platform.ts";
import { type Row, short } from "./table.ts";

export async function measureSize(): Promise<Row[]> {
  const bytes = Buffer.from(await bundle("../../src/worker.ts"));
  return [
    { what: "edge Worker, kB", measured: short(bytes.length / 1_000), goal: "" },
    {
      what: "edge Worker, kB gzip",
      measured: short(gzipSync(bytes, { level: 9 }).length / 1_000),
      goal: "≤ 300 (400 allowed)",
    },
  ];
}
