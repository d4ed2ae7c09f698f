/** Measures what is uploaded of both Workers. */
import { gzipSync } from "node:zlib";
import { runnerManifest } from "../../src/deploy/runner-process.ts";
import { bundle } from "./platform.ts";
import { type Row, short } from "./table.ts";

export async function measureSize(): Promise<Row[]> {
  const edge = await bundle("../../src/worker.ts");
  const modules: Record<string, { readonly contents: string | Uint8Array }> = runnerManifest().modules;
  const runner = Object.values(modules).map(({ contents }) => contents);
  return [...rows("edge Worker", [edge], "≤ 300 (400 allowed)"), ...rows("runner Worker", runner, "≤ 10,000")];
}

function rows(what: string, modules: readonly (string | Uint8Array)[], goal: string): Row[] {
  const bytes = Buffer.concat(modules.map((content) => Buffer.from(content)));
  const zipped = gzipSync(bytes, { level: 9 });
  return [
    { what: `${what}, kB`, measured: short(bytes.length / 1_000), goal: "" },
    { what: `${what}, kB gzip`, measured: short(zipped.length / 1_000), goal },
  ];
}
