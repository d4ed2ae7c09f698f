/** Owns POSIX's basic and extended regular expressions in the language of the engine here; never matching. */
import { LinearRegExp } from "sandbox:just-bash";
import { UsageError } from "../tools/tool.ts";

/** What matches: linear time, but for expressions that refer back to a group, which no linear engine knows. */
export interface Matcher {
  /** Where the next search begins. */
  lastIndex: number;
  exec(text: string): RegExpExecArray | null;
}

/** Escapes of GNU's expressions that mean the same in both forms. */
const SAME: Readonly<Record<string, string>> = {
  w: "[A-Za-z0-9_]",
  W: "[^A-Za-z0-9_]",
  s: "\\s",
  S: "\\S",
  b: "\\b",
  B: "\\B",
  "<": "\\b",
  ">": "\\b",
  "`": "\\A",
  "'": "\\z",
  n: "\\n",
  t: "\\t",
  r: "\\r",
  f: "\\f",
  v: "\\v",
  a: "\\x07",
};

const SPECIAL = /[.*+?^${}()|[\]\\/]/;

/** @param flags `I` and `M` of `s` and of addresses */
export function compile(
  source: string,
  form: "basic" | "extended",
  flags = "",
  wrap: (pattern: string) => string = (pattern) => pattern,
): Matcher {
  const { pattern: plain, refers } = translate(source, form);
  const pattern = wrap(plain);
  const wanted = `${/i/i.test(flags) ? "i" : ""}${flags.includes("M") ? "m" : ""}gs`;
  try {
    return refers
      ? new RegExp(pattern.replaceAll("\\A", "^").replaceAll("\\z", "$"), `${wanted}u`)
      : new LinearRegExp(pattern, wanted);
  } catch {
    throw new UsageError("-e expression #1: Invalid regular expression");
  }
}

function translate(source: string, form: "basic" | "extended"): { readonly pattern: string; readonly refers: boolean } {
  let pattern = "";
  let refers = false;
  let at = 0;
  const begins = () => pattern === "" || /(?:^|[^\\])(?:\\\\)*(?:\(|\|)$/.test(pattern);
  while (at < source.length) {
    const letter = source[at] ?? "";
    if (letter === "[") {
      const end = bracketEnd(source, at);
      pattern += bracket(source.slice(at, end));
      at = end;
      continue;
    }
    if (letter === "\\") {
      const next = source[at + 1] ?? "";
      at += 2;
      if (/[1-9]/.test(next)) {
        refers = true;
        pattern += `\\${next}(?:)`;
      } else if (form === "basic" && "(){}|+?".includes(next)) {
        pattern += next === "{" ? `{${counts(source, at)}` : next;
        at = next === "{" ? at + counts(source, at).length : at;
      } else {
        pattern += SAME[next] ?? (SPECIAL.test(next) ? `\\${next}` : next === "\n" ? "\\n" : escaped(next));
      }
      continue;
    }
    at++;
    if (form === "basic" && "+?(){}|".includes(letter)) {
      pattern += `\\${letter}`;
    } else if (letter === "*" && begins()) {
      pattern += "\\*";
    } else if (letter === "^" && form === "basic" && !begins()) {
      pattern += "\\^";
    } else if (letter === "$" && form === "basic" && at < source.length && !/^\\[)|]/.test(source.slice(at))) {
      pattern += "\\$";
    } else if (letter === "{" && form === "extended" && !/^\d*,?\d*\}/.test(source.slice(at))) {
      pattern += "\\{";
    } else {
      pattern += letter === "}" && form === "extended" && !/\{\d*,?\d*$/.test(pattern) ? "\\}" : letter;
    }
  }
  return { pattern: pattern.replace(/\{,(\d+)\}/g, "{0,$1}"), refers };
}

/** `2,3` of `\{2,3\}` with the backslash dropped by the caller. */
function counts(source: string, at: number): string {
  return /^[\d,]*/.exec(source.slice(at))?.[0] ?? "";
}

const escaped = (letter: string) => (SPECIAL.test(letter) ? `\\${letter}` : letter);

/** Where a bracket expression ends, behind its `]`. */
export function bracketEnd(source: string, start: number): number {
  const found = /^\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]/.exec(source.slice(start));
  if (found === null) {
    throw new UsageError("-e expression #1: unterminated address regex");
  }
  return start + found[0].length;
}

function bracket(text: string): string {
  const negated = text.startsWith("[^");
  const inside = text.slice(negated ? 2 : 1, -1);
  const body = inside.replace(/\[:\w+:\]|\\[ntr\]\\]|[[\]\\^&]/g, (found, at: number) => {
    if (found.startsWith("[:")) {
      return found;
    }
    if (found === "^" && (at > 0 || negated)) {
      return "\\^";
    }
    return found.length === 2
      ? found[1] === "\\" || found[1] === "]"
        ? `\\\\${found === "\\]" ? "]" : "\\\\"}`
        : found
      : `\\${found}`;
  });
  return `[${negated ? "^" : ""}${body}]`;
}
