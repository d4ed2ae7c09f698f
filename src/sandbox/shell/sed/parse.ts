/** Owns reading sed scripts: addresses, commands, their texts; never running one. */
import { UsageError } from "../tools/tool.ts";
import { bracketEnd, compile } from "./expression.ts";
import type { Address, Command, Part, Substitution } from "./script.ts";

/** Reads a script. Throws {@link UsageError}. */
export function parseSed(source: string, form: "basic" | "extended"): Command[] {
  return new Parser(source, form).all();
}

class Parser {
  readonly #source: string;
  readonly #form: "basic" | "extended";
  #at = 0;

  constructor(source: string, form: "basic" | "extended") {
    this.#source = source;
    this.#form = form;
  }

  all(): Command[] {
    const commands: Command[] = [];
    const open: number[] = [];
    for (this.#skip(/[\s;]/); this.#at < this.#source.length; this.#skip(/[\s;]/)) {
      if (this.#peek() === "#") {
        this.#line();
        continue;
      }
      const command = this.#command();
      if (command.name === "{") {
        open.push(commands.length);
      } else if (command.name === "}") {
        const start = open.pop();
        if (start === undefined) {
          this.#fail("unexpected `}'");
        }
        const opening = commands[start];
        if (opening !== undefined) {
          opening.jump = commands.length;
        }
      }
      commands.push(command);
    }
    if (open.length > 0) {
      this.#fail("unmatched `{'");
    }
    for (const command of commands) {
      if ("btT".includes(command.name)) {
        const label = commands.findIndex(({ name, text }) => name === ":" && text === command.text);
        if (command.text !== "" && label < 0) {
          throw new UsageError(`-e expression #1: can't find label for jump to \`${command.text}'`);
        }
        command.jump = command.text === "" ? commands.length : label;
      }
    }
    return commands;
  }

  #command(): Command {
    const from = this.#address();
    let to: Address | null = null;
    if (from !== null) {
      this.#skip(/[ \t]/);
      if (this.#peek() === ",") {
        this.#at++;
        this.#skip(/[ \t]/);
        to = this.#second() ?? this.#fail("unexpected `,'");
      }
    }
    this.#skip(/[ \t]/);
    let negated = false;
    while (this.#peek() === "!") {
      this.#at++;
      negated = true;
      this.#skip(/[ \t]/);
    }
    const name = this.#next();
    const base = { from, to, negated, name, text: "", number: null, substitution: null, letters: null, jump: 0 };
    switch (name) {
      case "{":
        return base;
      case "s":
        return { ...base, substitution: this.#substitution() };
      case "y":
        return { ...base, letters: this.#transliteration() };
      case "a":
      case "i":
      case "c":
        return { ...base, text: this.#text() };
      case ":":
        this.#skip(/[ \t]/);
        return { ...base, text: this.#until(/[\n;]/).trim() };
      case "b":
      case "t":
      case "T":
        this.#skip(/[ \t]/);
        return { ...base, text: this.#until(/[\n;}]/).trim() };
      case "r":
      case "R":
      case "w":
      case "W":
        this.#skip(/[ \t]/);
        return { ...base, text: this.#line() };
      case "q":
      case "Q":
      case "l":
      case "L": {
        this.#skip(/[ \t]/);
        const digits = this.#until(/\D/);
        this.#end();
        return { ...base, number: digits === "" ? null : Number(digits) };
      }
      default:
        if (name === "" || !"}=dDgGhHnNpPxzFe".includes(name)) {
          this.#fail(name === "" ? "missing command" : `unknown command: \`${name}'`);
        }
        this.#end();
        return base;
    }
  }

  #end(): void {
    this.#skip(/[ \t]/);
    const letter = this.#peek();
    if (letter !== "" && !/[\n;}#]/.test(letter)) {
      this.#fail("extra characters after command");
    }
  }

  #address(): Address | null {
    const letter = this.#peek();
    if (/\d/.test(letter)) {
      const first = Number(this.#until(/\D/));
      if (this.#peek() === "~") {
        this.#at++;
        return { type: "step", first, step: Number(this.#until(/\D/)) };
      }
      return { type: "line", line: first };
    }
    if (letter === "$") {
      this.#at++;
      return { type: "last" };
    }
    if (letter !== "/" && letter !== "\\") {
      return null;
    }
    this.#at += letter === "\\" ? 1 : 0;
    const source = this.#delimited(this.#next(), "regex");
    const flags = this.#until(/[^IM]/);
    return { type: "regex", regex: source === "" ? null : compile(source, this.#form, flags) };
  }

  #second(): Address | null {
    const letter = this.#peek();
    if (letter === "+" || letter === "~") {
      this.#at++;
      const count = Number(this.#until(/\D/));
      return letter === "+" ? { type: "plus", count } : { type: "multiple", of: count };
    }
    return this.#address();
  }

  #substitution(): Substitution {
    const delimiter = this.#next();
    const source = this.#delimited(delimiter, "regex");
    const replacement = this.#delimited(delimiter, "text");
    const flags = this.#until(/[^gpiIeMm\d]/);
    let file: string | null = null;
    if (this.#peek() === "w") {
      this.#at++;
      this.#skip(/[ \t]/);
      file = this.#line();
    } else {
      this.#end();
    }
    return {
      regex: source === "" ? null : compile(source, this.#form, flags.replace("m", "M")),
      parts: replacementParts(replacement),
      global: flags.includes("g"),
      nth: Number(/\d+/.exec(flags)?.[0] ?? 1),
      prints: flags.split("p").length - 1,
      executes: flags.includes("e"),
      file,
    };
  }

  #transliteration(): ReadonlyMap<string, string> {
    const delimiter = this.#next();
    const read = () => [
      ...this.#delimited(delimiter, "text").replace(/\\([\s\S])/g, (_whole, letter: string) =>
        letter === "n" ? "\n" : letter,
      ),
    ];
    const from = read();
    const to = read();
    if (from.length !== to.length) {
      this.#fail("strings for `y' command are different lengths");
    }
    this.#end();
    return new Map(from.map((letter, i) => [letter, to[i] ?? ""]));
  }

  /** Text of `a`, `i`, `c`: behind the command or on the lines below, a backslash before each newline that belongs to it. */
  #text(): string {
    this.#skip(/[ \t]/);
    if (this.#peek() === "\\") {
      this.#at++;
      const rest = /^[ \t]*\n/.exec(this.#source.slice(this.#at))?.[0];
      if (rest !== undefined) {
        this.#at += rest.length;
      } else if (!/^[ \t]/.test(this.#peek())) {
        this.#skip(/[ \t]/);
      }
    }
    let text = "";
    while (this.#at < this.#source.length && this.#peek() !== "\n") {
      const letter = this.#next();
      text += letter === "\\" ? this.#next() : letter;
    }
    return `${text}\n`;
  }

  /** Up to a delimiter that is neither escaped nor, in an expression, inside brackets. */
  #delimited(delimiter: string, what: "regex" | "text"): string {
    let text = "";
    while (this.#at < this.#source.length) {
      const letter = this.#peek();
      if (letter === delimiter) {
        this.#at++;
        return text;
      }
      if (letter === "\\") {
        const next = this.#source[this.#at + 1] ?? "";
        this.#at += 2;
        text += next === delimiter ? (what === "regex" && "|+?(){}".includes(next) ? `\\${next}` : next) : `\\${next}`;
      } else if (letter === "[" && what === "regex") {
        const end = bracketEnd(this.#source, this.#at);
        text += this.#source.slice(this.#at, end);
        this.#at = end;
      } else {
        text += letter;
        this.#at++;
      }
    }
    return this.#fail(what === "regex" ? "unterminated `s' command" : "unterminated `s' command");
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  #next(): string {
    return this.#source[this.#at++] ?? "";
  }

  #skip(letters: RegExp): void {
    while (this.#at < this.#source.length && letters.test(this.#peek())) {
      this.#at++;
    }
  }

  #until(end: RegExp): string {
    const start = this.#at;
    while (this.#at < this.#source.length && !end.test(this.#peek())) {
      this.#at++;
    }
    return this.#source.slice(start, this.#at);
  }

  #line(): string {
    return this.#until(/\n/);
  }

  #fail(message: string): never {
    throw new UsageError(`-e expression #1, char ${this.#at}: ${message}`);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", f: "\f", v: "\v", a: "\x07" };

function replacementParts(text: string): Part[] {
  const parts: Part[] = [];
  for (const [found] of text.matchAll(/\\[\s\S]|&|[^\\&]+/g)) {
    const letter = found[1] ?? "";
    if (found === "&") {
      parts.push({ group: 0 });
    } else if (!found.startsWith("\\")) {
      parts.push(found);
    } else if (/\d/.test(letter)) {
      parts.push({ group: Number(letter) });
    } else if (/[ULEul]/.test(letter)) {
      parts.push({ letters: letter as "U" });
    } else {
      parts.push(ESCAPES[letter] ?? letter);
    }
  }
  return parts;
}
