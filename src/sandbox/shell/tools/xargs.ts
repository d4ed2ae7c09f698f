/** Owns `xargs`; never what a command does. */
import type { Result } from "../inside.ts";
import { bytesOf, decodeText } from "./text.ts";
import { fail, readOptions, readText, type Surroundings } from "./tool.ts";

const NAMES = {
  null: "0",
  "no-run-if-empty": "r",
  "max-args": "n",
  "max-lines": "L",
  "max-procs": "P",
  replace: "i",
  delimiter: "d",
  "arg-file": "a",
  verbose: "t",
  exit: "x",
  eof: "E",
};

/** Bytes of words that one command gets. */
const MOST_BYTES = 131_072;
const FAILED = 123;

export async function xargs(args: readonly string[], around: Surroundings): Promise<Result> {
  const options = readOptions(args, "0rtxn:L:P:I:i;d:a:E:s:p", NAMES, "first");
  const file = options.value("a");
  const text = file === undefined ? decodeText(bytesOf(around.stdin)) : readText(file, around);
  const place = options.value("I") ?? (options.has("i") ? options.value("i") || "{}" : undefined);
  const command = options.rest.length === 0 ? ["echo"] : [...options.rest];
  const delimiter = options.has("0") ? "\0" : options.value("d");
  const items = itemsOf(text, delimiter, place === undefined ? "words" : "lines");
  if (items === null) {
    return fail("xargs: unmatched single quote; by default quotes are special to xargs unless you use the -0 option");
  }
  const lists =
    place === undefined ? batches(items, options.value("n"), options.value("L"), text) : items.map((item) => [item]);
  if (items.length === 0 && !options.has("r") && place === undefined) {
    lists.push([]);
  }
  let stdout = "";
  let stderr = "";
  let exitCode = 0;
  for (const list of lists) {
    const words =
      place === undefined ? [...command, ...list] : command.map((word) => word.replaceAll(place, list[0] ?? ""));
    stderr += options.has("t") ? `${words.join(" ")}\n` : "";
    const result = await around.execute(words, file === undefined ? "" : around.stdin);
    stdout += bytesText(result);
    stderr += result.stderr;
    if (couldNotRun(words[0] ?? "", result)) {
      const last = `xargs: ${words[0]}: ${result.exitCode === 127 ? "No such file or directory" : "Permission denied"}\n`;
      return { stdout, stdoutKind: "bytes", stderr: last, exitCode: result.exitCode };
    }
    if (result.exitCode === 255) {
      stderr += `xargs: ${words[0]}: exited with status 255; aborting\n`;
      exitCode = 124;
      break;
    }
    exitCode = result.exitCode === 0 ? exitCode : FAILED;
  }
  return { stdout, stdoutKind: "bytes", stderr, exitCode };
}

/** True when the shell found no such command; a command may well end with 127 itself. */
function couldNotRun(name: string, { exitCode, stderr }: Result): boolean {
  const said = exitCode === 127 ? ": command not found" : exitCode === 126 ? ": Permission denied" : null;
  return said !== null && (stderr.includes(`${name}${said}`) || stderr.includes(`${name}: No such file or directory`));
}

/** A result's output with a character for each byte. */
function bytesText({ stdout, stdoutKind }: Result): string {
  if (stdoutKind === "bytes") {
    return stdout;
  }
  let text = "";
  for (const byte of new TextEncoder().encode(stdout)) {
    text += String.fromCharCode(byte);
  }
  return text;
}

function itemsOf(text: string, delimiter: string | undefined, by: "words" | "lines"): string[] | null {
  if (delimiter !== undefined) {
    const letter = delimiter === "\\n" ? "\n" : delimiter === "\\t" ? "\t" : delimiter === "\\0" ? "\0" : delimiter;
    const items = text.split(letter);
    if (items.at(-1) === "") {
      items.pop();
    }
    return items;
  }
  if (by === "lines") {
    const lines = text.split("\n").map((line) => line.trimStart());
    const read = lines.filter((line) => line !== "").map((line) => unquoted(line));
    return read.includes(null) ? null : read.filter((line) => line !== null);
  }
  const items: string[] = [];
  const word = /(?:'[^'\n]*'|"[^"\n]*"|\\[\s\S]|[^\s'"\\])+|['"]/g;
  for (const [found] of text.matchAll(word)) {
    const item = unquoted(found);
    if (item === null) {
      return null;
    }
    items.push(item);
  }
  return items;
}

/** Null when a quote has no end. */
function unquoted(word: string): string | null {
  const plain = word.replace(
    /'([^'\n]*)'|"([^"\n]*)"|\\([\s\S])/g,
    (_whole, a?: string, b?: string, c?: string) => `${a ?? b ?? c ?? ""}`,
  );
  const bare = word.replace(/'[^'\n]*'|"[^"\n]*"|\\[\s\S]/g, "");
  return /['"]/.test(bare) ? null : plain;
}

function batches(
  items: readonly string[],
  most: string | undefined,
  lines: string | undefined,
  text: string,
): (readonly string[])[] {
  if (lines !== undefined) {
    const all = text.split("\n").filter((line) => line.trim() !== "");
    const count = Math.max(1, Number(lines));
    return Array.from({ length: Math.ceil(all.length / count) }, (_, i) =>
      all.slice(i * count, (i + 1) * count).flatMap((line) => itemsOf(line, undefined, "words") ?? []),
    );
  }
  const size = most === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Number(most));
  const lists: string[][] = [];
  let bytes = 0;
  for (const item of items) {
    const last = lists.at(-1);
    if (last === undefined || last.length >= size || bytes + item.length > MOST_BYTES) {
      lists.push([item]);
      bytes = item.length;
    } else {
      last.push(item);
      bytes += item.length + 1;
    }
  }
  return lists;
}
