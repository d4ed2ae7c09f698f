/** Owns what the words of a shell script are, command, argument or grammar, and notes the commands. Never reads the script's text. */
import type { ShellWord } from "./shell-words.ts";

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

const OPENS_COMMAND = new Set(["if", "then", "else", "elif", "do", "while", "until", "{", "!", "time", "coproc"]);
const CLOSES_COMMAND = new Set(["fi", "done", "}", "esac"]);
const RUNS_ANOTHER = new Set(["exec", "command", "builtin", "env", "nohup", "sudo"]);
const ASKS_FOR = new Set(["which", "type", "hash"]);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^=]*\])?\+?=/;

/** Where a reader is within one list of commands. */
export interface ListState {
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

/** A list of commands at its beginning. */
export function newList(): ListState {
  return { expect: "command", cases: 0, subshells: 0, negated: false, probes: [] };
}

/** Collects what a script calls, defines and asks for. */
export class UseCollector {
  readonly #commands: { name: string; at: number }[] = [];
  readonly #defined = new Set<string>();
  readonly #optional = new Set<string>();
  readonly #required = new Set<string>();
  #sources = false;

  /** All that was found in `text`. */
  use(text: string): ShellUse {
    let line = 1;
    let done = 0;
    const commands = this.#commands
      .sort((a, b) => a.at - b.at)
      .map(({ name, at }) => {
        for (let end = text.indexOf("\n", done); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) {
          line++;
        }
        done = at;
        return { name, line };
      });
    const optional = new Set([...this.#optional].filter((name) => !this.#required.has(name)));
    return { commands, defined: this.#defined, optional, sources: this.#sources };
  }

  /** Tells whether the word at an offset was taken for a command. */
  isCommandAt(at: number): boolean {
    return this.#commands.at(-1)?.at === at;
  }

  /** The word at an offset turns out to be the name of a function. */
  define(at: number, name: string): void {
    if (this.isCommandAt(at)) {
      this.#commands.pop();
    }
    this.#defined.add(name);
  }

  /** A command asked for counts as needed when the script acts on its absence: `! command -v x`, or `command -v x ||`. `end` is what ends it. */
  endCommand(end: "||" | "other", state: ListState): void {
    for (const name of state.probes) {
      (state.negated || end === "||" ? this.#required : this.#optional).add(name);
    }
    state.probes = [];
    state.negated = false;
    state.expect = state.expect === "case-word" ? "case-word" : "command";
  }

  /** Takes the word `raw` at an offset for what it is there. */
  word(at: number, raw: string, word: ShellWord, state: ListState): void {
    const { literal } = word;
    switch (state.expect) {
      case "command":
      case "wrapped":
        this.#commandWord(at, raw, word, state);
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
        this.#defined.add((literal ?? raw).split("=", 1)[0] ?? "");
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

  #commandWord(at: number, raw: string, word: ShellWord, state: ListState): void {
    const { literal } = word;
    const wrapped = state.expect === "wrapped";
    if (ASSIGNMENT.test(raw.slice(0, 200))) {
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
