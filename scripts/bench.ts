/** Owns `npm run bench`: every table in one run, each next to what a user would otherwise use. */
import { measureCold } from "./bench/cold.ts";
import { measureDeploys } from "./bench/deploys.ts";
import { measureLoad } from "./bench/load.ts";
import { measurePack } from "./bench/pack.ts";
import { measureRunMemory } from "./bench/sandbox-memory.ts";
import { measureColdStarts, measureCrowds } from "./bench/script-crowds.ts";
import { measurePackages } from "./bench/script-packages.ts";
import { measureScripts } from "./bench/scripts.ts";
import { measureSize } from "./bench/size.ts";
import { printTable } from "./bench/table.ts";
import { measureThroughput } from "./bench/throughput.ts";

// First: the most memory that a process took counts that of the one that started it.
printTable("Pack", await measurePack());
printTable("Size", await measureSize());
printTable("Warm load_skill", await measureThroughput());
printTable("Deploys", await measureDeploys());
printTable("A cold isolate", await measureCold([10, 1_000, 10_000]));
printTable("Scripts", await measureScripts());
printTable("Scripts, cold", await measureColdStarts());
printTable("Scripts in crowds", await measureCrowds());
printTable("Scripts with packages", await measurePackages());
printTable("Many runs", await measureRunMemory());
printTable("Load while bundles move", await measureLoad());
