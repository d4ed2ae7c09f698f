/** Owns reading one word of a shell script, with its quotes and what is expanded in it. Never knows what a command is. */

/** Called for each command substitution; reads commands up to its closing sign and answers the offset behind that. */
export type ReadCommands = (start: number, closing: ")" | "`") => number;

/** A word that was read. */
export interface ShellWord {
  /** The word without quotes; null when expansion decides what it is. */
  readonly literal: string | null;
  /** True when a part of it was quoted, so that it is no reserved word. */
  readonly quoted: boolean;
  /** Behind the word. */
  readonly end: number;
}

const ENDS_WORD = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/** Reads the word that begins at `start`. */
export function readWord(text: string, start: number, readCommands: ReadCommands, closing: string): ShellWord {
  let literal: string | null = "";
  let quoted = false;
  let at = start;
  const add = (part: string | null) => {
    literal = literal === null || part === null ? null : literal + part;
  };
  while (at < text.length) {
    const sign = text[at] ?? "";
    if (ENDS_WORD.has(sign) || (sign === "`" && closing === "`")) {
      break;
    }
    if (sign === "\\") {
      add(text[at + 1] === "\n" ? "" : (text[at + 1] ?? ""));
      quoted ||= text[at + 1] !== "\n";
      at += 2;
    } else if (sign === "'") {
      const end = endOf(text, "'", at + 1);
      add(text.slice(at + 1, end));
      quoted = true;
      at = end + 1;
    } else if (sign === '"') {
      const end = skipDoubleQuoted(text, at + 1, readCommands);
      const inside = text.slice(at + 1, end - 1);
      add(/[$`\\]/.test(inside) ? null : inside);
      quoted = true;
      at = end;
    } else if (sign === "$" || sign === "`") {
      const end = skipExpansion(text, at, readCommands);
      add(end === at + 1 && sign === "$" ? "$" : null);
      at = Math.max(end, at + 1);
    } else {
      add(sign === "*" || sign === "?" ? null : sign);
      at++;
    }
  }
  return { literal, quoted, end: at };
}

/** Behind the expansion that begins at `at` with `$` or a back quote; one further when there is none. */
export function skipExpansion(text: string, at: number, readCommands: ReadCommands): number {
  if (text[at] === "`") {
    return readCommands(at + 1, "`");
  }
  const next = text[at + 1] ?? "";
  if (next === "(" && text[at + 2] === "(") {
    return skipArithmetic(text, at + 3);
  }
  if (next === "(") {
    return readCommands(at + 2, ")");
  }
  if (next === "{") {
    return skipBraces(text, at + 2, readCommands);
  }
  if (next === "'") {
    return skipAnsiQuoted(text, at + 2);
  }
  const name = /^(?:\w+|[@*#?$!-])/.exec(text.slice(at + 1, at + 65))?.[0] ?? "";
  return at + 1 + name.length;
}

/** Behind the `))` that ends arithmetic begun before `start`. */
export function skipArithmetic(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (text[at] === "(") {
      depth++;
    } else if (text[at] === ")" && --depth < 0) {
      return text[at + 1] === ")" ? at + 2 : at + 1;
    }
  }
  return text.length;
}

function skipDoubleQuoted(text: string, start: number, readCommands: ReadCommands): number {
  let at = start;
  while (at < text.length && text[at] !== '"') {
    const sign = text[at];
    if (sign === "\\") {
      at += 2;
    } else if (sign === "`" || (sign === "$" && text[at + 1] !== "'")) {
      at = Math.max(skipExpansion(text, at, readCommands), at + 1);
    } else {
      at++;
    }
  }
  return at + 1;
}

function skipBraces(text: string, start: number, readCommands: ReadCommands): number {
  let at = start;
  while (at < text.length && text[at] !== "}") {
    const sign = text[at];
    if (sign === "\\") {
      at += 2;
    } else if (sign === '"') {
      at = skipDoubleQuoted(text, at + 1, readCommands);
    } else if (sign === "`" || sign === "$") {
      at = Math.max(skipExpansion(text, at, readCommands), at + 1);
    } else {
      at++;
    }
  }
  return at + 1;
}

function skipAnsiQuoted(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== "'") {
    at += text[at] === "\\" ? 2 : 1;
  }
  return at + 1;
}

function endOf(text: string, sign: string, start: number): number {
  const end = text.indexOf(sign, start);
  return end < 0 ? text.length : end;
}
