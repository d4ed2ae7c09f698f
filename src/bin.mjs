#!/usr/bin/env node
/** Owns starting the command line wherever the package lies: Node.js takes the types out of no file below `node_modules`, so that is done here. */
import { readFileSync } from "node:fs";
import module from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

const own = new URL(".", import.meta.url).href;

if (!process.features.typescript) {
  console.error(`error edge-skills needs Node.js 22.18 or later; this is ${process.version}`);
  process.exitCode = 3;
} else {
  if (own.includes("/node_modules/")) {
    takeTypesOut();
  }
  await import("./cli.ts");
}

function takeTypesOut() {
  // Node.js warns once that this is new; nobody who runs a command can do anything about it.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  module.stripTypeScriptTypes("");
  process.emitWarning = emitWarning;
  module.registerHooks({
    load(url, context, next) {
      if (!url.startsWith(own) || !url.endsWith(".ts")) {
        return next(url, context);
      }
      const source = module.stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
      return { format: "module", source, shortCircuit: true };
    },
  });
}
