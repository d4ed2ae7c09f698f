/**
 * Owns which commands a shell script calls and which it defines, found by following its grammar word by word. Never runs or expands
 * anything, and never knows which commands there are.
 */
import { readWord, type ShellWord, skipArithmetic } from "./shell-words.ts";

/** A command that a script calls by a name that stands in it. */
export interface ShellCommand {
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
}

/** What a shell script calls, defines and asks for. */
export interface ShellUse {
  readonly commands: readonly ShellCommand[];
  /** Functions and aliases. */
  readonly defined: ReadonlySet<string>;
  /** Commands that the script does without when they are missing: it asks for them, and does not give up. */
  readonly optional: ReadonlySet<string>;
  /** True when it reads other files as part of itself. */
  readonly sources: boolean;
}

/** How many commands may stand in each other; what lies deeper is not looked at. */
const MAX_DEPTH = 100;

const OPENS_COMMAND = new Set(["if", "then", "else", "elif", "do", "while", "until", "{", "!", "time", "coproc"]);
const CLOSES_COMMAND = new Set(["fi", "done", "}", "esac"]);
const RUNS_ANOTHER = new Set(["exec", "command", "builtin", "env", "nohup", "sudo"]);
const ASKS_FOR = new Set(["which", "type", "hash"]);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^=]*\])?\+?=/;
const ARRAY = /^[\w.[\]$"'{}@+-]*=$/;

/** Reads a shell script; what cannot be followed is left out. */
export function shellUse(source: string): ShellUse {
  const reader = new ShellReader(source.replace(/\r\n?/g, "\n"));
  try {
    reader.readList(0, null);
  } catch {
    // Nested too deep for the stack: what was found so far is what is known.
  }
  return reader.use();
}

/** Where the reader is within one list of commands. */
interface ListState {
  /** What the next word is. */
  expect:
    | "command"
    | "argument"
    | "function-name"
    | "loop-name"
    | "probe"
    | "wrapped"
    | "alias"
    | "case-word"
    | "case-pattern"
    | "condition";
  /** Case statements that are open. */
  cases: number;
  subshells: number;
  negated: boolean;
  probes: string[];
}

class ShellReader {
  readonly #text: string;
  readonly #commands: { name: string; at: number }[] = [];
  readonly #defined = new Set<string>();
  readonly #optional = new Set<string>();
  readonly #required = new Set<string>();
  readonly #heredocs: { mark: string; tabs: boolean }[] = [];
  #sources = false;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  use(): ShellUse {
    let line = 1;
    let done = 0;
    const commands = this.#commands
      .sort((a, b) => a.at - b.at)
      .map(({ name, at }) => {
        for (let end = this.#text.indexOf("\n", done); end >= 0 && end < at; end = this.#text.indexOf("\n", end + 1)) {
          line++;
        }
        done = at;
        return { name, line };
      });
    const optional = new Set([...this.#optional].filter((name) => !this.#required.has(name)));
    return { commands, defined: this.#defined, optional, sources: this.#sources };
  }

  /** Reads commands from `start` to the closing sign, or to the end; answers the offset behind it. */
  readList(start: number, closing: ")" | "`" | null): number {
    if (++this.#depth > MAX_DEPTH) {
      throw new RangeError("commands lie too deep in each other");
    }
    const state: ListState = { expect: "command", cases: 0, subshells: 0, negated: false, probes: [] };
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
    const isFunction = state.expect === "function-name";
    this.#word(at, word, state);
    if (this.#text[word.end] === "(" && ARRAY.test(this.#text.slice(at, word.end))) {
      return this.#skipArray(word.end + 1);
    }
    return isFunction || this.#commands.at(-1)?.at === at ? this.#functionHead(at, word, state) : word.end;
  }

  /** Behind a function's `()` when the word is its name; behind the word otherwise. */
  #functionHead(at: number, word: ShellWord, state: ListState): number {
    const parentheses = /^[ \t]*\([ \t]*\)/.exec(this.#text.slice(word.end, word.end + 32));
    if (!parentheses || word.literal === null) {
      return word.end;
    }
    if (this.#commands.at(-1)?.at === at) {
      this.#commands.pop();
    }
    this.#defined.add(word.literal);
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
    this.#endCommand(sign === "|" && next === "|", state);
    if (sign === "\n") {
      return this.#skipHeredocs(at + 1);
    }
    return next === sign || (sign === "|" && next === "&") ? at + 2 : at + 1;
  }

  /** A command asked for counts as needed when the script acts on its absence: `! command -v x`, or `command -v x ||`. */
  #endCommand(isOr: boolean, state: ListState): void {
    for (const name of state.probes) {
      (state.negated || isOr ? this.#required : this.#optional).add(name);
    }
    state.probes = [];
    state.negated = false;
    state.expect = state.expect === "case-word" ? "case-word" : "command";
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

  #word(at: number, word: ShellWord, state: ListState): void {
    const { literal } = word;
    const next = this.#text[word.end];
    if (literal !== null && /^\d+$/.test(literal) && (next === "<" || next === ">")) {
      return;
    }
    switch (state.expect) {
      case "command":
      case "wrapped":
        this.#commandWord(at, word, state);
        return;
      case "function-name":
        this.#defined.add(literal ?? "");
        state.expect = "command";
        return;
      case "loop-name":
        state.expect = "argument";
        return;
      case "probe":
        if (literal !== null && !literal.startsWith("-")) {
          state.probes.push(literal);
        }
        return;
      case "alias":
        this.#defined.add((literal ?? this.#text.slice(at, word.end)).split("=", 1)[0] ?? "");
        return;
      case "case-word":
        state.expect = literal === "in" && !word.quoted ? "case-pattern" : "case-word";
        return;
      case "case-pattern":
        if (literal === "esac" && !word.quoted) {
          state.cases--;
          state.expect = "argument";
        }
        return;
      case "condition":
        state.expect = literal === "]]" ? "argument" : "condition";
        return;
      default:
    }
  }

  #commandWord(at: number, word: ShellWord, state: ListState): void {
    const { literal } = word;
    const wrapped = state.expect === "wrapped";
    if (ASSIGNMENT.test(this.#text.slice(at, Math.min(word.end, at + 200)))) {
      return;
    }
    if (wrapped && literal?.startsWith("-")) {
      state.expect = /^-[a-zA-Z]*[vV]/.test(literal) ? "probe" : "wrapped";
      return;
    }
    if (literal === null || literal === "") {
      state.expect = "argument";
      return;
    }
    if (!word.quoted && !wrapped && this.#reservedWord(literal, state)) {
      return;
    }
    this.#commands.push({ name: literal, at });
    this.#sources ||= literal === "." || literal === "source";
    state.expect = RUNS_ANOTHER.has(literal)
      ? "wrapped"
      : ASKS_FOR.has(literal)
        ? "probe"
        : literal === "alias"
          ? "alias"
          : "argument";
  }

  /** Handles a word of the grammar; false when it is none. */
  #reservedWord(literal: string, state: ListState): boolean {
    if (OPENS_COMMAND.has(literal)) {
      state.negated ||= literal === "!";
      return true;
    }
    if (CLOSES_COMMAND.has(literal)) {
      state.cases -= literal === "esac" && state.cases > 0 ? 1 : 0;
      state.expect = "argument";
      return true;
    }
    const then = {
      for: "loop-name",
      select: "loop-name",
      function: "function-name",
      case: "case-word",
      "[[": "condition",
    } as const;
    if (!Object.hasOwn(then, literal)) {
      return false;
    }
    state.expect = then[literal as keyof typeof then];
    state.cases += literal === "case" ? 1 : 0;
    return true;
  }
}
