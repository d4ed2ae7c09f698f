/** Owns `grep`, `egrep` and `fgrep`: which lines, which files, how they are shown; never the language of expressions. */
import { LinearRegExp } from "sandbox:just-bash";
import type { Result } from "../inside.ts";
import { compile, type Matcher } from "../sed/expression.ts";
import { filesBelow } from "./grep-files.ts";
import { encodeText, latin1, linesOf } from "./text.ts";
import { fail, type Options, readOptions, readText, type Surroundings, UsageError } from "./tool.ts";

const NAMES = {
  "extended-regexp": "E",
  "fixed-strings": "F",
  "basic-regexp": "G",
  "perl-regexp": "P",
  regexp: "e",
  file: "f",
  "ignore-case": "i",
  "no-ignore-case": "1",
  "invert-match": "v",
  "word-regexp": "w",
  "line-regexp": "x",
  count: "c",
  color: "K",
  colour: "K",
  "files-without-match": "L",
  "files-with-matches": "l",
  "max-count": "m",
  "only-matching": "o",
  quiet: "q",
  silent: "q",
  "no-messages": "s",
  "byte-offset": "b",
  "with-filename": "H",
  "no-filename": "h",
  label: "2",
  "line-number": "n",
  null: "Z",
  "null-data": "z",
  "after-context": "A",
  "before-context": "B",
  context: "C",
  text: "a",
  "binary-files": "3",
  include: "4",
  exclude: "5",
  "exclude-dir": "6",
  recursive: "r",
  "dereference-recursive": "R",
  "line-buffered": "u",
  "initial-tab": "T",
};

type Kind = "basic" | "extended" | "fixed" | "perl";

export function grep(args: readonly string[], around: Surroundings, form: Kind = "basic"): Result {
  const words = args.map((word, i) =>
    /^-\d+$/.test(word) && !/^-\w*[ABCmef]$/.test(args[i - 1] ?? "") ? `-C${word.slice(1)}` : word,
  );
  const options = readOptions(words, "EFGPe:f:iyvwxcK;Llm:oqsbHh2:nZzA:B:C:a3:4:5:6:rRuTUI1d:D:", NAMES);
  const kind: Kind = options.has("P") ? "perl" : options.has("F") ? "fixed" : options.has("E") ? "extended" : form;
  const rest = [...options.rest];
  const hasPattern = options.has("e") || options.has("f");
  const first = hasPattern ? "" : rest.shift();
  if (first === undefined) {
    return fail("Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.", 2);
  }
  const patterns = hasPattern
    ? [
        ...options.values("e").flatMap((text) => text.split("\n")),
        ...options.values("f").flatMap((name) => linesOf(readText(name, around))),
      ]
    : first.split("\n");
  const matchers = patterns.map((pattern) => matcherOf(pattern, kind, options));
  const isDeep = options.has("r") || options.has("R");
  const names = rest.length > 0 ? rest : isDeep ? ["."] : ["-"];
  let stderr = "";
  const complain = (name: string, words: string) => {
    stderr += options.has("s") ? "" : `grep: ${name}: ${words}\n`;
  };
  const walk = { options, around, complain, isDeep, isImplied: rest.length === 0 };
  const files = names.flatMap((name) => filesBelow(name, walk));
  const headed =
    options.has("H") ||
    (!options.has("h") && (files.length > 1 || names.length > 1 || (isDeep && files[0]?.name !== names[0])));
  const searches = files.map(({ name, text }) => new Search(name, text, { matchers, options, headed }));
  let found = false;
  const out: string[] = [];
  for (const search of searches) {
    const shown = search.run();
    found ||= search.selected > 0;
    out.push(shown);
    if (found && options.has("q")) {
      return { stdout: "", stderr: "", exitCode: 0 };
    }
  }
  const exitCode =
    stderr !== "" || (options.has("s") && files.length < names.length && !isDeep)
      ? 2
      : found !== options.has("L")
        ? 0
        : 1;
  return { stdout: latin1(encodeText(out.join(""))), stdoutKind: "bytes", stderr, exitCode };
}

function matcherOf(pattern: string, kind: Kind, options: Options): Matcher {
  const flags = `${options.has("i") || options.has("y") ? "i" : ""}`;
  const wrap = (source: string) =>
    options.has("x") ? `^(?:${source})$` : options.has("w") ? `\\b(?:${source})\\b` : source;
  if (kind === "fixed") {
    return new LinearRegExp(wrap(pattern.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")), `g${flags}`);
  }
  if (kind !== "perl") {
    return compile(pattern, kind, flags, wrap);
  }
  const reset = pattern.replace(/^([\s\S]*?)\\K/, "(?<=$1)");
  try {
    // What no linear engine knows needs one that backtracks.
    return /\(\?<?[=!]|\\[1-9]|\(\?>|[*+?}]\+/.test(reset)
      ? new RegExp(wrap(reset.replace(/\(\?>/g, "(?:").replace(/([*+?}])\+/g, "$1")), `gu${flags}`)
      : new LinearRegExp(wrap(reset), `g${flags}`);
  } catch {
    throw new UsageError("invalid regular expression");
  }
}

interface Settings {
  readonly matchers: readonly Matcher[];
  readonly options: Options;
  readonly headed: boolean;
}

class Search {
  readonly #name: string;
  readonly #text: string;
  readonly #settings: Settings;
  /** Lines that were chosen. */
  selected = 0;

  constructor(name: string, text: string, settings: Settings) {
    this.#name = name;
    this.#text = text;
    this.#settings = settings;
  }

  /** What is shown of the file. */
  run(): string {
    const { options, headed } = this.#settings;
    const newline = options.has("z") ? "\0" : "\n";
    const lines = this.#text.split(newline);
    if (lines.at(-1) === "") {
      lines.pop();
    }
    const most = Number(options.value("m") ?? Number.POSITIVE_INFINITY);
    const isBinary = this.#text.includes("\0") && !options.has("a") && !options.has("z");
    const chosen: number[] = [];
    for (let i = 0; i < lines.length && chosen.length < most; i++) {
      if (this.#matches(lines[i] ?? "") !== options.has("v")) {
        chosen.push(i);
        if (options.has("q") || options.has("l") || options.has("L")) {
          break;
        }
      }
    }
    this.selected = chosen.length;
    const end = options.has("Z") ? "\0" : "\n";
    if (options.has("l") || options.has("L")) {
      return chosen.length > 0 === options.has("l") ? `${this.#name}${end}` : "";
    }
    if (options.has("c")) {
      return `${headed ? `${this.#name}:` : ""}${chosen.length}\n`;
    }
    if (options.has("q") || chosen.length === 0) {
      return "";
    }
    return isBinary ? `Binary file ${this.#name} matches\n` : this.#show(lines, chosen, newline);
  }

  #matches(line: string): boolean {
    return this.#settings.matchers.some((matcher) => {
      matcher.lastIndex = 0;
      return matcher.exec(line) !== null;
    });
  }

  #show(lines: readonly string[], chosen: readonly number[], newline: string): string {
    const { options } = this.#settings;
    const [around = "0"] = [options.value("C")];
    const before = Number(options.value("B") ?? around);
    const after = Number(options.value("A") ?? around);
    const offsets = options.has("b") ? offsetsOf(lines) : [];
    const isChosen = new Set(chosen);
    let out = "";
    let last = -1;
    for (const at of chosen) {
      const from = Math.max(at - before, last + 1);
      if ((before > 0 || after > 0) && last >= 0 && from > last + 1) {
        out += "--\n";
      }
      const to = Math.min(at + after, lines.length - 1);
      for (let i = from; i <= to; i++) {
        if (i > at && isChosen.has(i)) {
          break;
        }
        out += this.#line(lines[i] ?? "", i, { isChosen: isChosen.has(i), offset: offsets[i] ?? 0, newline });
        last = i;
      }
    }
    return out;
  }

  #line(
    line: string,
    index: number,
    { isChosen, offset, newline }: { readonly isChosen: boolean; readonly offset: number; readonly newline: string },
  ): string {
    const { options, headed } = this.#settings;
    const mark = isChosen ? ":" : "-";
    const head = (at: number) =>
      `${headed ? `${this.#name}${options.has("Z") ? "\0" : mark}` : ""}${options.has("n") ? `${index + 1}${mark}` : ""}${options.has("b") ? `${at}${mark}` : ""}`;
    if (!options.has("o")) {
      return `${head(offset)}${line}${newline}`;
    }
    return isChosen && !options.has("v")
      ? this.#parts(line)
          .map(([text, at]) => `${head(offset + at)}${text}${newline}`)
          .join("")
      : "";
  }

  /** What matched in a line, from left to right, each with the bytes before it. Nothing is looked at twice: a line may be megabytes long. */
  #parts(line: string): (readonly [text: string, at: number])[] {
    const parts: (readonly [string, number])[] = [];
    const { matchers } = this.#settings;
    const next = matchers.map((matcher) => matchFrom(matcher, line, 0));
    let seen = 0;
    let bytes = 0;
    for (let at = 0; at <= line.length; ) {
      matchers.forEach((matcher, i) => {
        const match = next[i] ?? null;
        next[i] = match === null || match.index >= at ? match : matchFrom(matcher, line, at);
      });
      const [best] = next
        .filter((match) => match !== null)
        .sort((a, b) => a.index - b.index || b[0].length - a[0].length);
      if (best === undefined) {
        break;
      }
      if (best[0] !== "") {
        bytes += new TextEncoder().encode(line.slice(seen, best.index)).length;
        seen = best.index;
        parts.push([best[0], bytes]);
      }
      at = best.index + Math.max(best[0].length, 1);
    }
    return parts;
  }
}

function matchFrom(matcher: Matcher, line: string, at: number) {
  matcher.lastIndex = at;
  return matcher.exec(line);
}

function offsetsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += new TextEncoder().encode(line).length + 1;
    return start;
  });
}
