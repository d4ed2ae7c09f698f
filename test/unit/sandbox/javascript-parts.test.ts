import { describe, expect, it } from "vitest";
import { compileJavaScript } from "../../../src/pack/compile-javascript.ts";
import { partsFor } from "../../../src/sandbox/javascript-parts.ts";

const ALL = {
  "runtime.js": 1,
  "load.js": 1,
  "run-files.js": 1,
  "late.js": 1,
  "network.js": 1,
  "parse-args.js": 1,
  "platform.js": 1,
};
const CORE = ["load.js", "runtime.js"];

async function partsOf(source: string): Promise<string[]> {
  const path = "scripts/main.mjs";
  const made = await compileJavaScript({ path, files: new Map([[path, new TextEncoder().encode(source)]]) });
  return Object.keys(partsFor("code" in made ? made.code : "", ALL)).sort();
}

describe("partsFor()", () => {
  it.each([
    ["console.log(JSON.stringify({ hello: 1 }));", []],
    ['import { inspect } from "node:util"; console.log(inspect(1));', []],
    ['import { readFileSync } from "node:fs"; readFileSync("x");', ["run-files.js"]],
    ['import { readFile } from "fs/promises"; await readFile("x");', ["run-files.js"]],
    ['process.chdir("/tmp");', ["run-files.js"]],
    ['import { exec } from "node:child_process"; exec("ls");', ["late.js", "run-files.js"]],
    ['import readline from "node:readline"; readline.createInterface(process.stdin);', ["late.js"]],
    ['import { get } from "node:https"; get("https://x.test");', ["late.js", "network.js"]],
    ['await fetch("/x");', ["network.js"]],
    ["console.table([1]);", ["platform.js"]],
    ['process.kill(process.pid, "SIGTERM");', ["platform.js"]],
    ['import { parseArgs } from "node:util"; parseArgs();', ["parse-args.js"]],
    ['import { createHash } from "node:crypto"; createHash("md5");', ["platform.js"]],
    ["console.log(crypto.randomUUID());", []],
    ['import { tmpdir } from "os"; tmpdir();', ["platform.js"]],
    ['import { createRequire } from "node:module"; createRequire(import.meta.url)("./x.json");', "all"],
    ["await import(process.argv[2]);", "all"],
    ['process["ch" + "dir"]("/tmp");', "all"],
  ])("gives a script what it can lead to: %s", async (source, parts) => {
    expect(await partsOf(source)).toEqual(parts === "all" ? Object.keys(ALL).sort() : [...CORE, ...parts].sort());
  });
});
