/** Owns running sed scripts over lines: pattern space, hold space, ranges; never reading a script. */

import { UsageError } from "../tools/tool.ts";
import type { Matcher } from "./expression.ts";
import { Ranges } from "./ranges.ts";
import type { Command, Substitution } from "./script.ts";
import { bounded, substituted, visible } from "./text.ts";

/** What a script may do with the outside. */
export interface SedHost {
  /** A text file's content, or null. */
  read(name: string): string | null;
  write(name: string, text: string): void;
  print(text: string): void;
  /** Counts one step of the run's budget; gives a promise now and then. */
  tick(): Promise<void> | undefined;
  execute(command: string): Promise<string>;
}

export interface SedOptions {
  readonly quiet: boolean;
  /** `\n`, or the zero byte of `-z`. */
  readonly newline: string;
}

export class Sed {
  readonly #commands: readonly Command[];
  readonly #host: SedHost;
  readonly #options: SedOptions;
  readonly #ranges = new Ranges({
    number: () => this.#number,
    isLast: () => this.#isLast,
    matches: (regex) => this.#matcher(regex).exec(this.#space) !== null,
  });
  readonly #rest = new Map<string, string[]>();
  #lines: readonly string[] = [];
  #lacksNewline = false;
  #index = 0;
  #number = 0;
  #space = "";
  #hold = "";
  #last: Matcher | null = null;
  #after: string[] = [];
  #status = 0;
  #name = "-";

  constructor(commands: readonly Command[], host: SedHost, options: SedOptions) {
    this.#commands = commands;
    this.#host = host;
    this.#options = options;
  }

  /** Runs over one input; gives null, or the status when the script quit. Lines are counted on. */
  async run(text: string, name: string): Promise<number | null> {
    const { newline } = this.#options;
    const lines = text.split(newline);
    this.#lacksNewline = lines.at(-1) !== "";
    if (!this.#lacksNewline) {
      lines.pop();
    }
    this.#lines = lines;
    this.#index = 0;
    this.#name = name;
    let restarts = false;
    while (restarts || this.#index < lines.length) {
      if (!restarts) {
        this.#space = lines[this.#index++] ?? "";
        this.#number++;
      }
      const ending = await this.#cycle();
      restarts = ending === "again";
      if (ending !== "quiet" && ending !== "again" && ending !== "gone" && !this.#options.quiet) {
        this.#print(this.#space);
      }
      this.#flush();
      if (ending === "quit" || ending === "gone") {
        return this.#status;
      }
    }
    return null;
  }

  get #isLast(): boolean {
    return this.#index >= this.#lines.length;
  }

  #print(text: string): void {
    this.#host.print(text + (this.#isLast && this.#lacksNewline ? "" : this.#options.newline));
  }

  #flush(): void {
    for (const text of this.#after) {
      this.#host.print(text);
    }
    this.#after = [];
  }

  /** How a line's commands ended: at their end, deleted, started again, or with the script's end. */
  async #cycle(): Promise<"end" | "quiet" | "again" | "quit" | "gone"> {
    let substituted = false;
    for (let at = 0; at < this.#commands.length; at++) {
      const turn = this.#host.tick();
      if (turn !== undefined) {
        await turn;
      }
      const command = this.#commands[at] as Command;
      if (this.#ranges.applies(command) === command.negated) {
        at = command.name === "{" ? command.jump : at;
        continue;
      }
      switch (command.name) {
        case "s":
          if (await this.#substitute(command.substitution as Substitution)) {
            substituted = true;
          }
          break;
        case "b":
          at = command.jump - 1;
          break;
        case "t":
        case "T":
          if (substituted === (command.name === "t")) {
            at = command.jump - 1;
          }
          substituted = false;
          break;
        case "d":
          return "quiet";
        case "D": {
          const newline = this.#space.indexOf("\n");
          if (newline < 0) {
            return "quiet";
          }
          this.#space = this.#space.slice(newline + 1);
          return "again";
        }
        case "n":
          if (this.#isLast) {
            return this.#options.quiet ? "gone" : "quit";
          }
          if (!this.#options.quiet) {
            this.#print(this.#space);
          }
          this.#flush();
          this.#space = this.#nextLine();
          break;
        case "N":
          if (this.#isLast) {
            return this.#options.quiet ? "gone" : "quit";
          }
          this.#flush();
          this.#space = bounded(`${this.#space}${this.#options.newline}${this.#nextLine()}`);
          break;
        case "q":
        case "Q":
          this.#status = command.number ?? 0;
          return command.name === "q" ? "quit" : "gone";
        case "c":
          if (command.to === null || command.negated || !this.#ranges.isOpen(command)) {
            this.#host.print(command.text);
          }
          return "quiet";
        case "e":
          this.#host.print(await this.#host.execute(this.#space));
          break;
        default:
          this.#plain(command);
      }
    }
    return "end";
  }

  #nextLine(): string {
    this.#number++;
    return this.#lines[this.#index++] ?? "";
  }

  #plain({ name, text, letters, number }: Command): void {
    switch (name) {
      case "p":
        this.#print(this.#space);
        break;
      case "P":
        this.#host.print(`${this.#space.split("\n")[0]}\n`);
        break;
      case "=":
        this.#host.print(`${this.#number}\n`);
        break;
      case "F":
        this.#host.print(`${this.#name}\n`);
        break;
      case "l":
        this.#host.print(`${visible(this.#space, number ?? 70)}\n`);
        break;
      case "h":
        this.#hold = this.#space;
        break;
      case "H":
        this.#hold = bounded(`${this.#hold}\n${this.#space}`);
        break;
      case "g":
        this.#space = this.#hold;
        break;
      case "G":
        this.#space = bounded(`${this.#space}\n${this.#hold}`);
        break;
      case "x":
        [this.#space, this.#hold] = [this.#hold, this.#space];
        break;
      case "z":
        this.#space = "";
        break;
      case "a":
        this.#after.push(text);
        break;
      case "i":
        this.#host.print(text);
        break;
      case "r":
        this.#after.push(this.#host.read(text) ?? "");
        break;
      case "R":
        this.#after.push(this.#lineOf(text));
        break;
      case "w":
        this.#host.write(text, `${this.#space}\n`);
        break;
      case "W":
        this.#host.write(text, `${this.#space.split("\n")[0]}\n`);
        break;
      case "y":
        this.#space = [...this.#space].map((letter) => letters?.get(letter) ?? letter).join("");
        break;
      default:
        break;
    }
  }

  #lineOf(name: string): string {
    const lines =
      this.#rest.get(name) ??
      (this.#host.read(name) ?? "").split("\n").filter((line, i, all) => line !== "" || i < all.length - 1);
    this.#rest.set(name, lines);
    const line = lines.shift();
    return line === undefined ? "" : `${line}\n`;
  }

  #matcher(regex: Matcher | null): Matcher {
    this.#last = regex ?? this.#last;
    if (this.#last === null) {
      throw new UsageError("no previous regular expression");
    }
    this.#last.lastIndex = 0;
    return this.#last;
  }

  async #substitute(how: Substitution): Promise<boolean> {
    const matcher = this.#matcher(how.regex);
    const changed = substituted(this.#space, matcher, how);
    if (changed === null) {
      return false;
    }
    this.#space = changed;
    if (how.executes) {
      this.#space = (await this.#host.execute(this.#space)).replace(/\n$/, "");
    }
    for (let i = 0; i < how.prints; i++) {
      this.#print(this.#space);
    }
    if (how.file !== null) {
      this.#host.write(how.file, `${this.#space}\n`);
    }
    return true;
  }
}
