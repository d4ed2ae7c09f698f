/** Owns `diff`: normal, unified and side-by-side-less forms, directories; never how lines are compared (package diff). */
import { diffArrays } from "diff";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { formatTime } from "./time-format.ts";
import { fail, type Options, readOptions, readText, type Surroundings } from "./tool.ts";

const NAMES = {
  unified: "u",
  brief: "q",
  recursive: "r",
  "ignore-all-space": "w",
  "ignore-space-change": "b",
  "ignore-blank-lines": "B",
  "ignore-case": "i",
  "ignore-trailing-space": "Z",
  "new-file": "N",
  label: "L",
  "report-identical-files": "s",
  "side-by-side": "y",
  "strip-trailing-cr": "C",
  exclude: "x",
  color: "k",
  text: "a",
};

/** Changed lines up to which the shortest way from one file to the other is looked for: it takes as long as their square. */
const MOST_EDITS = 4_000;

interface Hunk {
  /** First line of each side, from 0. */
  readonly left: number;
  readonly right: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

interface Side {
  readonly lines: readonly string[];
  readonly lacksNewline: boolean;
}

export function diff(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "u;U:qrwbBiZNL:syCx:k;ac;", NAMES);
  const [left, right] = options.rest;
  if (left === undefined || right === undefined) {
    return fail(`diff: missing operand after '${left ?? "diff"}'`, 2);
  }
  const { cwd, files } = around;
  const kindOf = (name: string) => (name === "-" ? "file" : files.peek(resolvePath(cwd, name))?.kind);
  const base = (name: string) => name.split("/").at(-1) ?? "";
  if (kindOf(left) === "dir" && kindOf(right) === "dir") {
    return folders(left, right, options, around);
  }
  const a = kindOf(left) === "dir" ? `${left}/${base(right)}` : left;
  const b = kindOf(right) === "dir" ? `${right}/${base(left)}` : right;
  const missing = [a, b].find((name) => kindOf(name) === undefined && !options.has("N"));
  if (missing !== undefined) {
    return fail(`diff: ${missing}: No such file or directory`, 2);
  }
  return pair(a, b, options, around);
}

function folders(left: string, right: string, options: Options, around: Surroundings): Result {
  const { cwd, files } = around;
  const names = (name: string) => [...files.directory(resolvePath(cwd, name)).entries.keys()];
  const all = [...new Set([...names(left), ...names(right)])].sort();
  let stdout = "";
  let stderr = "";
  let exitCode = 0;
  for (const name of all) {
    if (options.values("x").includes(name)) {
      continue;
    }
    const [a, b] = [`${left}/${name}`, `${right}/${name}`];
    const [one, two] = [a, b].map((path) => files.peek(resolvePath(cwd, path)));
    if (!options.has("N") && (one === null || two === null)) {
      stdout += `Only in ${one === null ? right : left}: ${name}\n`;
      exitCode = Math.max(exitCode, 1);
    } else if (one?.kind === "dir" && two?.kind === "dir") {
      const inside = options.has("r") ? folders(a, b, options, around) : null;
      stdout += inside?.stdout ?? `Common subdirectories: ${a} and ${b}\n`;
      exitCode = Math.max(exitCode, inside?.exitCode ?? 0);
    } else {
      const result = pair(a, b, options, around);
      const flags = ["r", "u", "w", "b", "B", "i", "N"].filter((letter) => options.has(letter)).join("");
      const head = result.exitCode === 1 && !options.has("q") ? `diff -${flags} ${a} ${b}\n`.replace("- ", "") : "";
      stdout += head + result.stdout;
      stderr += result.stderr;
      exitCode = Math.max(exitCode, result.exitCode);
    }
  }
  return { stdout, stderr, exitCode };
}

function pair(left: string, right: string, options: Options, around: Surroundings): Result {
  const a = sideOf(left, around);
  const b = sideOf(right, around);
  const hunks = hunksOf(a, b, options);
  if (hunks.length === 0) {
    return { stdout: options.has("s") ? `Files ${left} and ${right} are identical\n` : "", stderr: "", exitCode: 0 };
  }
  if (options.has("q")) {
    return { stdout: `Files ${left} and ${right} differ\n`, stderr: "", exitCode: 1 };
  }
  const isUnified = options.has("u") || options.has("U");
  const context = Number(options.value("U") ?? (options.value("u") || 3));
  const stdout = isUnified
    ? headOf(left, right, options, around) + unified(a, b, hunks, context)
    : hunks.map((hunk) => normal(a, b, hunk)).join("");
  return { stdout, stderr: "", exitCode: 1 };
}

function sideOf(name: string, around: Surroundings): Side {
  const isThere = name === "-" || around.files.peek(resolvePath(around.cwd, name)) !== null;
  const text = isThere ? readText(name, around) : "";
  const lines = text.split("\n");
  const lacksNewline = lines.at(-1) !== "";
  if (!lacksNewline) {
    lines.pop();
  }
  return { lines, lacksNewline };
}

function hunksOf(a: Side, b: Side, options: Options): Hunk[] {
  const key = (side: Side) => (line: string, i: number) => {
    let text = options.has("C") ? line.replace(/\r$/, "") : line;
    text = options.has("w") ? text.replace(/\s+/g, "") : text;
    text = options.has("b") ? text.replace(/\s+$/, "").replace(/\s+/g, " ") : text;
    text = options.has("Z") ? text.replace(/\s+$/, "") : text;
    text = options.has("i") ? text.toLowerCase() : text;
    return side.lacksNewline && i === side.lines.length - 1 && !options.has("w") && !options.has("b")
      ? `${text}\0`
      : text;
  };
  const hunks: Hunk[] = [];
  let left = 0;
  let right = 0;
  let removed: readonly string[] = [];
  let added: readonly string[] = [];
  const flush = () => {
    const blank = options.has("B") && [...removed, ...added].every((line) => line.trim() === "");
    if (removed.length + added.length > 0 && !blank) {
      hunks.push({ left: left - removed.length, right: right - added.length, removed, added });
    }
    removed = [];
    added = [];
  };
  const keys = [a.lines.map(key(a)), b.lines.map(key(b))] as const;
  for (const change of diffArrays(...keys, { maxEditLength: MOST_EDITS }) ?? replaced(...keys)) {
    const count = change.value.length;
    if (change.removed) {
      removed = a.lines.slice(left, left + count);
      left += count;
    } else if (change.added) {
      added = b.lines.slice(right, right + count);
      right += count;
    } else {
      flush();
      left += count;
      right += count;
    }
  }
  flush();
  return hunks;
}

interface Change {
  readonly value: readonly string[];
  readonly removed: boolean;
  readonly added: boolean;
}

/** What files that have little in common differ in: all but their beginnings and ends. */
function replaced(a: readonly string[], b: readonly string[]): Change[] {
  const most = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < most && a[begin] === b[begin]) {
    begin++;
  }
  let end = 0;
  while (end < most - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) {
    end++;
  }
  return [
    { value: a.slice(0, begin), removed: false, added: false },
    { value: a.slice(begin, a.length - end), removed: true, added: false },
    { value: b.slice(begin, b.length - end), removed: false, added: true },
    { value: a.slice(a.length - end), removed: false, added: false },
  ];
}

const NO_NEWLINE = "\\ No newline at end of file\n";

function lineOf(sign: string, text: string, side: Side, index: number): string {
  return `${sign}${text}\n${side.lacksNewline && index === side.lines.length - 1 ? NO_NEWLINE : ""}`;
}

function normal(a: Side, b: Side, { left, right, removed, added }: Hunk): string {
  const range = (from: number, count: number) => (count <= 1 ? String(from + count) : `${from + 1},${from + count}`);
  const kind = removed.length === 0 ? "a" : added.length === 0 ? "d" : "c";
  const head = `${range(left, removed.length)}${kind}${range(right, added.length)}\n`;
  const old = removed.map((text, i) => lineOf("< ", text, a, left + i)).join("");
  const young = added.map((text, i) => lineOf("> ", text, b, right + i)).join("");
  return `${head}${old}${kind === "c" ? "---\n" : ""}${young}`;
}

function headOf(left: string, right: string, options: Options, { cwd, files, env }: Surroundings): string {
  const labels = options.values("L");
  return [left, right]
    .map((name, i) => {
      const mtime = (name === "-" ? null : files.peek(resolvePath(cwd, name)))?.mtime ?? Date.now();
      const shown = labels[i] ?? `${name}\t${formatTime("%Y-%m-%d %H:%M:%S.%N %z", mtime, env.TZ || "UTC")}`;
      return `${i === 0 ? "---" : "+++"} ${shown}\n`;
    })
    .join("");
}

function unified(a: Side, b: Side, hunks: readonly Hunk[], context: number): string {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && hunk.left - (last.left + last.removed.length) <= context * 2) {
      groups.at(-1)?.push(hunk);
    } else {
      groups.push([hunk]);
    }
  }
  return groups.map((group) => block(a, b, group, context)).join("");
}

function block(a: Side, b: Side, group: readonly Hunk[], context: number): string {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) {
    return "";
  }
  const before = Math.min(context, first.left);
  const start = first.left - before;
  const startRight = first.right - before;
  const end = Math.min(a.lines.length, last.left + last.removed.length + context);
  const endRight = last.right + last.added.length + (end - last.left - last.removed.length);
  const range = (from: number, count: number) => `${count === 0 ? from : from + 1}${count === 1 ? "" : `,${count}`}`;
  let out = `@@ -${range(start, end - start)} +${range(startRight, endRight - startRight)} @@\n`;
  let at = start;
  for (const hunk of group) {
    for (; at < hunk.left; at++) {
      out += lineOf(" ", a.lines[at] ?? "", a, at);
    }
    out += hunk.removed.map((text, i) => lineOf("-", text, a, hunk.left + i)).join("");
    out += hunk.added.map((text, i) => lineOf("+", text, b, hunk.right + i)).join("");
    at = hunk.left + hunk.removed.length;
  }
  for (; at < end; at++) {
    out += lineOf(" ", a.lines[at] ?? "", a, at);
  }
  return out;
}
