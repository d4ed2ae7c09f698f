/** Owns showing where in a SKILL.md a problem stands: the line and a caret below the column. Never judges, never shows what moves a cursor. */
import { readFileSync, statSync } from "node:fs";

/** Beyond this a file is not opened just to show a line of it. */
const MAX_BYTES = 4 * 1024 * 1024;
/** How much of a line is shown before and behind the column. */
const BEFORE = 60;
const BEHIND = 40;

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Signs that take two columns on a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

/** Reads lines of files, each file once. */
export class SourceLines {
  readonly #files = new Map<string, readonly string[] | null>();

  /** The line and the caret, ready to print; null when the file cannot be shown. Line and column count from 1, in code points. */
  show(file: string, line: number, column: number): readonly [line: string, caret: string] | null {
    const text = this.#linesOf(file)?.[line - 1];
    if (text === undefined) {
      return null;
    }
    const signs = [...text];
    const at = Math.min(column - 1, signs.length);
    const from = Math.max(0, at - BEFORE);
    const to = Math.min(signs.length, at + BEHIND);
    const left = `${from > 0 ? "…" : ""}${printable(signs.slice(from, at).join(""))}`;
    const right = `${printable(signs.slice(at, to).join(""))}${to < signs.length ? "…" : ""}`;
    return [left + right, `${blankOf(left)}^`];
  }

  #linesOf(file: string): readonly string[] | null {
    const known = this.#files.get(file);
    if (known !== undefined) {
      return known;
    }
    const lines = readLines(file);
    this.#files.set(file, lines);
    return lines;
  }
}

function readLines(file: string): readonly string[] | null {
  try {
    const stats = statSync(file);
    if (!stats.isFile() || stats.size > MAX_BYTES) {
      return null;
    }
    return readFileSync(file, "utf8")
      .replace(/^\ufeff/, "")
      .split(/\r\n?|\n/);
  } catch {
    return null;
  }
}

/** A text on one line, without anything that a terminal would act on or not show. */
export function printable(text: string): string {
  return text.replaceAll("\t", " ").replace(INVISIBLE, "\u00b7");
}

/** Blanks as wide as a text. */
function blankOf(text: string): string {
  let width = 0;
  for (const sign of text) {
    width += /\p{Mn}/u.test(sign) ? 0 : WIDE.test(sign) ? 2 : 1;
  }
  return " ".repeat(width);
}
