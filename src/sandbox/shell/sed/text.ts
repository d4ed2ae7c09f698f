/** Owns texts that sed makes: replacements, lines as `l` shows them; never when. */
import { UsageError } from "../tools/tool.ts";
import type { Matcher } from "./expression.ts";
import type { Part, Substitution } from "./script.ts";

const MOST_TEXT = 16 << 20;

/** A text with its chosen matches replaced, or null when there is none. */
export function substituted(text: string, matcher: Matcher, how: Substitution): string | null {
  let out = "";
  let at = 0;
  let count = 0;
  let changed = false;
  let lastEnd = -1;
  while (at <= text.length) {
    matcher.lastIndex = at;
    const match = matcher.exec(text);
    if (match === null) {
      break;
    }
    const end = match.index + match[0].length;
    const isEmptyBehind = match[0] === "" && match.index === lastEnd;
    count += isEmptyBehind ? 0 : 1;
    const chosen = !isEmptyBehind && (how.global ? count >= how.nth : count === how.nth);
    out = bounded(out + text.slice(at, match.index) + (chosen ? filled(how.parts, match) : match[0]));
    changed ||= chosen;
    lastEnd = end;
    at = end;
    if (match[0] === "") {
      out += text.slice(end, end + 1);
      at = end + 1;
    }
    if (chosen && !how.global) {
      break;
    }
  }
  return changed ? out + text.slice(at) : null;
}

function filled(parts: readonly Part[], match: RegExpExecArray): string {
  let out = "";
  let letters: "U" | "L" | "E" = "E";
  let next: "u" | "l" | null = null;
  for (const part of parts) {
    if (typeof part === "object" && "letters" in part) {
      if (part.letters === "u" || part.letters === "l") {
        next = part.letters;
      } else {
        letters = part.letters;
      }
      continue;
    }
    const plain = typeof part === "string" ? part : (match[part.group] ?? "");
    let text = letters === "U" ? plain.toUpperCase() : letters === "L" ? plain.toLowerCase() : plain;
    if (next !== null && text !== "") {
      text = (next === "u" ? text.charAt(0).toUpperCase() : text.charAt(0).toLowerCase()) + text.slice(1);
      next = null;
    }
    out += text;
  }
  return out;
}

export function bounded(text: string): string {
  if (text.length > MOST_TEXT) {
    throw new UsageError("memory exhausted");
  }
  return text;
}

const SHOWN: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As `l` shows a line. */
export function visible(text: string, width: number): string {
  const cells = Array.from(new TextEncoder().encode(text), (byte) => {
    const letter = String.fromCharCode(byte);
    return SHOWN[letter] ?? (byte >= 32 && byte < 127 ? letter : `\\${byte.toString(8).padStart(3, "0")}`);
  });
  let line = "";
  let out = "";
  for (const cell of cells) {
    if (width > 1 && line.length + cell.length > width - 1) {
      out += `${line}\\\n`;
      line = "";
    }
    line += cell;
  }
  return `${out}${line}$`;
}
