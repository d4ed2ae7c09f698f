/** Owns the records of an awk program's own input: its operands, one after the other; never rules. */
import type { AwkProgram } from "./ast.ts";
import type { Steps } from "./evaluate.ts";
import { Functions } from "./functions.ts";
import { AwkIo, type AwkSurroundings, Records } from "./io.ts";
import { readEscapes } from "./lexer.ts";
import { Input, toNumber, type Value } from "./values.ts";

export abstract class Reader extends Functions {
  readonly #around: AwkSurroundings;
  readonly #operands: string[];
  #input: Records | null = null;
  #wasOperand = false;
  /** What the program will exit with. */
  protected status = 0;

  constructor(program: AwkProgram, around: AwkSurroundings, operands: readonly string[]) {
    super(program, new AwkIo(around), around.environment);
    this.#around = around;
    this.#operands = [...operands];
    const words = ["awk", ...operands].map((word, i): [string, Value] => [String(i), new Input(word)]);
    this.variables.set("ARGC", words.length);
    for (const [key, value] of words) {
      this.variables.array("ARGV").set(key, value);
    }
  }

  /** `name=text` from the command line. */
  assign(word: string): void {
    const at = word.indexOf("=");
    this.variables.set(word.slice(0, at), new Input(readEscapes(word.slice(at + 1))));
  }

  protected skipInput(): void {
    this.#input = null;
  }

  protected *nextRecord(): Steps<string | null> {
    yield* this.tick();
    for (;;) {
      const record = this.#input?.next(this.variables.text("RS"), this.regexes.find) ?? null;
      if (record !== null) {
        this.variables.set("NR", toNumber(this.variables.get("NR")) + 1);
        this.variables.set("FNR", toNumber(this.variables.get("FNR")) + 1);
        return record;
      }
      if (!(yield* this.#openNext())) {
        return null;
      }
    }
  }

  protected *tick(): Steps<void> {
    const turn = this.#around.tick();
    if (turn !== undefined) {
      yield turn;
    }
  }

  /** Opens the next file among the operands, or standard input when there was none. */
  *#openNext(): Steps<boolean> {
    for (let word = this.#operands.shift(); word !== undefined; word = this.#operands.shift()) {
      if (/^[A-Za-z_]\w*=/.test(word)) {
        this.assign(word);
      } else if (word !== "") {
        return yield* this.#open(word);
      }
    }
    return this.#wasOperand ? false : yield* this.#open("-");
  }

  *#open(name: string): Steps<boolean> {
    this.#wasOperand = true;
    this.variables.set("FILENAME", name === "-" ? "" : name);
    this.variables.set("FNR", 0);
    yield* this.bring(name);
    try {
      this.#input = new Records(this.io.read(name));
    } catch {
      this.io.stderr += `awk: cannot open "${name}" (No such file or directory)\n`;
      this.status = 2;
      this.#input = null;
      return yield* this.#openNext();
    }
    return true;
  }
}
