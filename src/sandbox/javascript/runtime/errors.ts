/** Owns how an uncaught error of a script reads: Node.js's words, with the places of the script's own files; never when it ends. */
import util from "node:util";
import { NODE_VERSION } from "./process.ts";

/** For each line of the compiled script: file and line it came from; as written by src/pack/javascript/wrap.ts. */
export interface LineTable {
  readonly files: readonly string[];
  readonly at: readonly number[];
}

const { inspect } = util;

/** The text on standard error when nobody caught an error. */
export function uncaught(error: unknown, lines: LineTable): string {
  return `Uncaught:\n${describe(error, lines)}\n\nNode.js v${NODE_VERSION}\n`;
}

function describe(error: unknown, lines: LineTable): string {
  const text = typeof error === "object" && error !== null ? inspect(error) : `${inspect(error)}`;
  return ownPlaces(text, lines).replaceAll("__es_no_require", "require");
}

/** Leads places in the compiled script back to the skill's files and leaves out those of the sandbox. */
export function ownPlaces(text: string, lines: LineTable): string {
  return text
    .split("\n")
    .filter((line) => !/^\s+at .*\b(?:runtime\.js|child\.js|node:internal|cloudflare-internal)/.test(line))
    .map((line) =>
      line.replace(
        /(?:file:\/\/\/)?\/?script\.js:(\d+)(?::\d+)?/,
        (whole, row: string) => place(Number(row), lines) ?? whole,
      ),
    )
    .join("\n");
}

function place(row: number, lines: LineTable): string | undefined {
  const file = lines.files[lines.at[(row - 1) * 2] ?? -1];
  return file === undefined ? undefined : `${file}:${lines.at[(row - 1) * 2 + 1]}`;
}
