/** Owns loading the parts of the runtime that not every script uses when one does; never what they do. */
import load from "../load.js";
import type { ParseArgsConfig, ParsedArgs } from "./parse-args.ts";

/** What src/sandbox/javascript/run-files.ts becomes. */
export function loadRunFiles(): typeof import("../run-files.ts") {
  return load("./run-files.js") as typeof import("../run-files.ts");
}

/** What src/sandbox/javascript/runtime/late.ts becomes. */
export function late(): typeof import("./late.ts") {
  return load("./late.js") as typeof import("./late.ts");
}

/** What src/sandbox/javascript/runtime/network.ts becomes. */
export function network(): typeof import("./network.ts") {
  return load("./network.js") as typeof import("./network.ts");
}

/** What src/sandbox/javascript/runtime/platform.ts becomes. */
export function platform(): typeof import("./platform.ts") {
  return load("./platform.js") as typeof import("./platform.ts");
}

/** `util.parseArgs` */
export const parseArgs = (config?: ParseArgsConfig): ParsedArgs =>
  (load("./parse-args.js") as typeof import("./parse-args.ts")).parseArgs(config, process.argv.slice(2));
