/**
 * Owns `npm run bench`: every table in one run, each next to what a user would otherwise use, and each in a process of its own, since what
 * one table leaves in memory slows down the programs that the next one starts. `npm run bench -- Scripts` prints one of them.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { printTable, type Row } from "./bench/table.ts";

const TABLES: Readonly<Record<string, () => Promise<Row[]>>> = {
  Pack: async () => (await import("./bench/pack.ts")).measurePack(),
  Size: async () => (await import("./bench/size.ts")).measureSize(),
  "Warm load_skill": async () => (await import("./bench/throughput.ts")).measureThroughput(),
  Deploys: async () => (await import("./bench/deploys.ts")).measureDeploys(),
  "A cold isolate": async () => (await import("./bench/cold.ts")).measureCold([10, 1_000, 10_000]),
  Scripts: async () => (await import("./bench/scripts.ts")).measureScripts(),
  "Scripts, cold": async () => (await import("./bench/script-crowds.ts")).measureColdStarts(),
  "Scripts in crowds": async () => (await import("./bench/script-crowds.ts")).measureCrowds(),
  "Scripts with packages": async () => (await import("./bench/script-packages.ts")).measurePackages(),
  "Runs at one time": async () => (await import("./bench/sandbox-memory.ts")).measureRunsAtOnce(),
  "Many runs": async () => (await import("./bench/sandbox-memory.ts")).measureRunMemory(),
  "Load while bundles move": async () => (await import("./bench/load.ts")).measureLoad(),
};

const [name] = process.argv.slice(2);
if (name === undefined) {
  for (const each of Object.keys(TABLES)) {
    const { status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), each], { stdio: "inherit" });
    process.exitCode ||= status ?? 1;
  }
} else {
  const measure = TABLES[name];
  if (measure === undefined) {
    throw new Error(`there is no table "${name}", but ${Object.keys(TABLES).join(", ")}`);
  }
  printTable(name, await measure());
}
