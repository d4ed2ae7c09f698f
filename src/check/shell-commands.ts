/**
 * Owns which commands a shell script calls and which it defines, found by following its grammar word by word. Never runs or expands
 * anything, and never knows which commands there are.
 */
import { type ListState, newList, type ShellUse, UseCollector } from "./shell-use.ts";
import { readWord, type ShellWord, skipArithmetic } from "./shell-words.ts";

/** How many commands may stand in each other; what lies deeper is not looked at. */
const MAX_DEPTH = 100;

const ARRAY = /^[\w.[\]$"'{}@+-]*=$/;

/** Reads a shell script; what cannot be followed is left out. */
export function shellUse(source: string): ShellUse {
  const text = source.replace(/\r\n?/g, "\n");
  const reader = new ShellReader(text);
  try {
    reader.readList(0, null);
  } catch {
    // Nested too deep for the stack: what was found so far is what is known.
  }
  return reader.found.use(text);
}

class ShellReader {
  readonly found = new UseCollector();
  readonly #text: string;
  readonly #heredocs: { mark: string; tabs: boolean }[] = [];
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads commands from `start` to the closing sign, or to the end; answers the offset behind it. */
  readList(start: number, closing: ")" | "`" | null): number {
    if (++this.#depth > MAX_DEPTH) {
      throw new RangeError("commands lie too deep in each other");
    }
    const state = newList();
    let at = start;
    while (at < this.#text.length) {
      const sign = this.#text[at] ?? "";
      if (sign === closing && (sign === "`" || (state.subshells === 0 && state.expect !== "case-pattern"))) {
        at++;
        break;
      }
      at = this.#step(at, sign, state, closing ?? "");
    }
    this.#depth--;
    return at;
  }

  #step(at: number, sign: string, state: ListState, closing: string): number {
    if (sign === " " || sign === "\t") {
      return at + 1;
    }
    if (sign === "#") {
      const end = this.#text.indexOf("\n", at);
      return end < 0 ? this.#text.length : end;
    }
    if (sign === "<" || sign === ">" || (sign === "&" && this.#text[at + 1] === ">")) {
      return this.#redirect(at, closing);
    }
    if (state.expect === "condition" && sign !== "\n" && "|&()!;".includes(sign)) {
      return at + 1;
    }
    if ("\n;|&()".includes(sign)) {
      return this.#operator(at, sign, state);
    }
    const word = readWord(this.#text, at, (from, end) => this.readList(from, end), closing);
    if (word.end === at) {
      return at + 1;
    }
    const raw = this.#text.slice(at, word.end);
    const next = this.#text[word.end];
    if (/^\d+$/.test(raw) && (next === "<" || next === ">")) {
      return word.end;
    }
    const isFunction = state.expect === "function-name";
    this.found.word(at, raw, word, state);
    if (next === "(" && ARRAY.test(raw)) {
      return this.#skipArray(word.end + 1);
    }
    return isFunction || this.found.isCommandAt(at) ? this.#functionHead(at, word, state) : word.end;
  }

  /** Behind a function's `()` when the word is its name; behind the word otherwise. */
  #functionHead(at: number, word: ShellWord, state: ListState): number {
    const parentheses = /^[ \t]*\([ \t]*\)/.exec(this.#text.slice(word.end, word.end + 32));
    if (!parentheses || word.literal === null) {
      return word.end;
    }
    this.found.define(at, word.literal);
    state.expect = "command";
    return word.end + parentheses[0].length;
  }

  #skipArray(start: number): number {
    let at = start;
    while (at < this.#text.length && this.#text[at] !== ")") {
      const word = readWord(this.#text, at, (from, end) => this.readList(from, end), "");
      at = this.#text[at] === "#" ? Math.max(at + 1, this.#text.indexOf("\n", at)) : Math.max(word.end, at + 1);
    }
    return at + 1;
  }

  #operator(at: number, sign: string, state: ListState): number {
    const next = this.#text[at + 1];
    if (sign === "(" && next === "(" && state.expect !== "case-pattern") {
      state.expect = "argument";
      return skipArithmetic(this.#text, at + 2);
    }
    if (state.expect === "case-pattern") {
      state.expect = sign === ")" ? "command" : "case-pattern";
      return at + 1;
    }
    if (sign === ";" && (next === ";" || next === "&") && state.cases > 0) {
      state.expect = "case-pattern";
      return this.#text[at + 2] === "&" ? at + 3 : at + 2;
    }
    if (sign === "(" || sign === ")") {
      state.subshells = Math.max(0, state.subshells + (sign === "(" ? 1 : -1));
      state.expect = sign === "(" ? "command" : "argument";
      return at + 1;
    }
    this.found.endCommand(sign === "|" && next === "|" ? "||" : "other", state);
    if (sign === "\n") {
      return this.#skipHeredocs(at + 1);
    }
    return next === sign || (sign === "|" && next === "&") ? at + 2 : at + 1;
  }

  #redirect(at: number, closing: string): number {
    const operator = /^(?:&>>?|<<<|<<-?|<>|>\||>>|[<>]&|[<>])/.exec(this.#text.slice(at, at + 3))?.[0] ?? "<";
    let target = at + operator.length;
    if (operator.length === 1 && this.#text[target] === "(") {
      return this.readList(target + 1, ")");
    }
    while (this.#text[target] === " " || this.#text[target] === "\t") {
      target++;
    }
    const word = readWord(this.#text, target, (from, end) => this.readList(from, end), closing);
    if (operator === "<<" || operator === "<<-") {
      const mark = word.literal ?? this.#text.slice(target, word.end);
      this.#heredocs.push({ mark, tabs: operator === "<<-" });
    }
    return word.end;
  }

  #skipHeredocs(start: number): number {
    let at = start;
    for (const { mark, tabs } of this.#heredocs.splice(0)) {
      while (at < this.#text.length) {
        const end = this.#text.indexOf("\n", at);
        const line = this.#text.slice(at, end < 0 ? this.#text.length : end);
        at = end < 0 ? this.#text.length : end + 1;
        if ((tabs ? line.replace(/^\t+/, "") : line) === mark) {
          break;
        }
      }
    }
    return at;
  }
}
