/** Owns reading the scripts of this suite and the files they find; never runs one. */
import { readdirSync, readFileSync } from "node:fs";
import type { Runtime } from "../../src/model/run.ts";

const SCRIPTS = new URL("scripts/", import.meta.url);

/** One script: written for this suite in the style of real skills. */
export interface FidelityScript {
  readonly name: string;
  readonly runtime: Runtime;
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly source: string;
  /** Other files of its skill, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/** What a run of one does, as far as it is compared. */
export interface Outcome {
  readonly exit_code: number | null;
  readonly stdout: string;
  /** The last line of standard error. */
  readonly last: string;
  /** New and changed files, as text. */
  readonly files: Readonly<Record<string, string>>;
}

const RUNTIMES: Readonly<Record<string, Runtime>> = { py: "python", sh: "bash" };

/**
 * All of them, in the order of their names. A head is `=== NAME WORDS…`; lines that begin with `<<< ` below it are standard input;
 * a line `+++ PATH` begins another file of the same skill.
 */
export function fidelityScripts(): FidelityScript[] {
  const texts = readdirSync(SCRIPTS).map((name) => readFileSync(new URL(name, SCRIPTS), "utf8"));
  const parts = texts.flatMap((text) => text.split(/^=== /m).slice(1));
  return parts.map(scriptOf).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function scriptOf(part: string): FidelityScript {
  const [head = "", ...lines] = part.split("\n");
  const [name = "", ...argv] = head.split(" ");
  const input = lines.filter((line) => line.startsWith("<<< ")).map((line) => `${line.slice(4)}\n`);
  const [source = "", ...others] = lines
    .filter((line) => !line.startsWith("<<< "))
    .join("\n")
    .split(/^\+\+\+ /m);
  const files = Object.fromEntries(
    others.map((other) => [other.slice(0, other.indexOf("\n")), other.slice(other.indexOf("\n") + 1)]),
  );
  const runtime = RUNTIMES[name.split(".").at(-1) ?? ""] ?? "javascript";
  return { name, runtime, argv, stdin: input.join(""), source, files };
}

/** The files that every script finds in its working directory. */
export const DATA: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  Object.entries({
    "data/prices.csv": "name,kind,price\napple,fruit,1.25\nleek,green,0.8\npear,fruit,2\n",
    "data/items.json": '[{"name":"apple","price":1.25},{"name":"pear","price":2},{"name":"kïwi","price":0.5}]\n',
    "data/notes.md":
      "# Notes\n\nA short list of things, and a list of words.\n\n## Things\n\n- one thing\n- another thing\n",
    "data/lib.sh": 'lib_hello() { echo "hello $1"; }\n',
  })
    .map(([path, text]): [string, Uint8Array] => [path, new TextEncoder().encode(text)])
    .concat([["data/latin1.bin", Uint8Array.of(0x66, 0xfc, 0x72, 0x0a)]]),
);

/** The last line that says something. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
