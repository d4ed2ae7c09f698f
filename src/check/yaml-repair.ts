/**
 * Owns the one repair of YAML that does not parse: on a line `key: value` whose unquoted value holds a colon followed by a blank or by the
 * end of the line, the rest of the line is read as text. Never touches block texts, quoted texts, lists and mappings.
 */

/** A YAML text with its repaired lines. */
export interface Repair {
  readonly text: string;
  /** Lines that were changed, counted from 1, with the column of their value. */
  readonly lines: readonly { readonly line: number; readonly column: number; readonly key: string }[];
}

// A key is quoted, or plain up to the first colon that is followed by a blank or the end of the line.
const KEY = /"(?:[^"\\]|\\.)*"[ \t]*|'(?:[^']|'')*'[ \t]*|(?:[^\s"'#\-[\]{}&*!|>%@`]|-(?=\S))[^\n]*?/.source;
const FIELD = new RegExp(`^([ ]*(?:-[ \\t]+)*)(${KEY}):(?:[ \\t]+|$)`);
const BLOCK_HEADER = /^[|>](?:[1-9][+-]?|[+-][1-9]?)?[ \t]*(?:[ \t]#.*)?$/;
const LIST_BLOCK = /^ *(?:-[ \t]+)+[|>]/;
const INNER_COLON = /:(?:[ \t]|$)/;

/** Repairs what can be repaired; `lines` is empty when nothing was. */
export function repairYaml(text: string): Repair {
  const repaired: { line: number; column: number; key: string }[] = [];
  let blockIndent = -1;
  const open: string[] = [];

  const lines = text.split("\n").map((line, index) => {
    const indent = line.length - line.trimStart().length;
    if (open.length > 0) {
      follow(line, open);
      return line;
    }
    if (blockIndent >= 0 && (line.trim() === "" || indent > blockIndent)) {
      return line;
    }
    blockIndent = -1;
    const field = FIELD.exec(line);
    const value = line.slice(field?.[0].length ?? 0);
    if (field === null ? LIST_BLOCK.test(line) : BLOCK_HEADER.test(value)) {
      blockIndent = indent;
      return line;
    }
    if (field === null || !isRepairable(value)) {
      if (/^\s*(?:-[ \t]+)*["'[{]/.test(value)) {
        follow(value, open);
      }
      return line;
    }
    const key = (field[2] ?? "").trim();
    repaired.push({ line: index + 1, column: [...field[0]].length + 1, key });
    return `${field[0]}${JSON.stringify(value.trimEnd())}`;
  });
  return { text: lines.join("\n"), lines: repaired };
}

/** An unquoted text with a colon in it; what only begins with a quoted text is no quoted text. */
function isRepairable(value: string): boolean {
  if (!INNER_COLON.test(value) || /^[#[{]/.test(value)) {
    return false;
  }
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(.*)$/s.exec(value);
  if (quoted) {
    return !/^(?:[ \t]+#.*|[ \t]*)$/.test(quoted[1] ?? "");
  }
  return !/^["']/.test(value);
}

/** Follows quotes and brackets through a line; `open` is the stack of closing signs awaited, the innermost last. */
function follow(line: string, open: string[]): void {
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] ?? "";
    const awaited = open.at(-1);
    const before = line[at - 1] ?? " ";
    if (awaited === '"' || awaited === "'") {
      if (awaited === '"' && sign === "\\") {
        at++;
      } else if (sign === awaited) {
        open.pop();
      }
    } else if (sign === awaited) {
      open.pop();
    } else if (sign === "#" && /\s/.test(before)) {
      return;
    } else if (sign === "[" || sign === "{") {
      open.push(sign === "[" ? "]" : "}");
    } else if ((sign === '"' || sign === "'") && /[\s[{,:-]/.test(before)) {
      open.push(sign);
    }
  }
}
