/** Owns `bc`: expressions, variables, control flow, functions, the library of `-l`; never how numbers are computed. */
import type { Result } from "../inside.ts";
import { BcExpressions, type Mode, type Steps } from "./bc-expressions.ts";
import { type Decimal, ONE, show, ZERO } from "./bc-number.ts";
import { bytesOf, decodeText } from "./text.ts";
import { readText, type Surroundings, UsageError } from "./tool.ts";

/** What one statement counts in the run's budget. */
const TICKS = 16;
const MOST_OUTPUT = 16 << 20;

/** `bc [-l] [FILE…]` */
export async function bc(args: readonly string[], around: Surroundings): Promise<Result> {
  const names = args.filter((word) => !word.startsWith("-"));
  const texts = [...names.map((name) => readText(name, around)), decodeText(bytesOf(around.stdin))];
  const isLibrary = args.some((word) => /^-\w*l/.test(word) || word === "--mathlib");
  const machine = new Bc(texts.join("\n"), isLibrary ? 20 : 0, around.tick);
  await machine.run();
  return { stdout: machine.stdout, stderr: machine.stderr, exitCode: 0 };
}

interface Made {
  readonly params: readonly string[];
  readonly locals: readonly string[];
  readonly at: number;
}

type Flow = "go" | "break" | "continue" | "return" | "quit";

class Bc extends BcExpressions {
  readonly #tick: Surroundings["tick"];
  #returned = ZERO;
  readonly #functions = new Map<string, Made>();
  stdout = "";
  stderr = "";

  constructor(source: string, scale: number, tick: Surroundings["tick"]) {
    super(source, scale);
    this.#tick = tick;
  }

  /** Runs line by line: an error ends its line only. */
  async run(): Promise<void> {
    while (this.at < this.tokens.length) {
      const began = this.at;
      try {
        if ((await awaited(this.#statement("runs"))) === "quit") {
          return;
        }
      } catch (error) {
        if (!(error instanceof UsageError)) {
          throw error;
        }
        const isSyntax = error.message === "syntax error";
        this.stderr += isSyntax
          ? "(standard_in) 1: syntax error\n"
          : `Runtime error (func=(main), adr=3): ${error.message}\n`;
        this.at = Math.max(this.at, began);
        while (this.at < this.tokens.length && this.tokens[this.at] !== "\n") {
          this.at++;
        }
      }
    }
  }

  /** Reads one statement, and does what it says unless it is passed over. */
  *#statement(mode: Mode): Steps<Flow> {
    // Its numbers may be long: each statement looks at the clock as often as many bytecodes do.
    for (let i = 0; i < TICKS; i++) {
      const turn = this.#tick();
      if (turn !== undefined) {
        yield turn;
      }
    }
    if (this.stdout.length > MOST_OUTPUT) {
      throw new RangeError("bc: output of more than 16 MiB");
    }
    const token = this.peek();
    if (token === "\n" || token === ";") {
      this.at++;
      return "go";
    }
    if (token === "{") {
      return yield* this.#block(mode);
    }
    if (token.startsWith('"')) {
      this.at++;
      this.stdout += mode === "runs" ? token.slice(1, -1) : "";
      return "go";
    }
    switch (token) {
      case "define":
        return yield* this.#define();
      case "if":
        return yield* this.#if(mode);
      case "while":
        return yield* this.#while(mode);
      case "for":
        return yield* this.#for(mode);
      case "print":
        return yield* this.#print(mode);
      case "auto":
        while (!["\n", ";"].includes(this.peek())) {
          this.at++;
        }
        return "go";
      case "break":
      case "continue":
        this.at++;
        return mode === "runs" ? token : "go";
      case "quit":
      case "halt":
        this.at++;
        return mode === "runs" || token === "quit" ? "quit" : "go";
      case "return": {
        this.at++;
        const value = ["\n", ";", "}"].includes(this.peek()) ? ZERO : yield* this.expression(mode);
        if (mode === "runs") {
          this.#returned = value;
          return "return";
        }
        return "go";
      }
      default:
        break;
    }
    const isAssignment = /^[a-z]/.test(token) && /^(?:[-+*/%^]?=)$/.test(this.tokens[this.at + 1] ?? "");
    const value = yield* this.expression(mode);
    if (mode === "runs" && !isAssignment) {
      this.stdout += `${show(value, Number(this.get("obase").digits))}\n`;
    }
    if (!["\n", ";", "}"].includes(this.peek())) {
      throw new UsageError("syntax error");
    }
    return "go";
  }

  *#block(mode: Mode): Steps<Flow> {
    this.expect("{");
    let flow: Flow = "go";
    while (!this.take("}")) {
      if (this.at >= this.tokens.length) {
        throw new UsageError("syntax error");
      }
      const next: Flow = yield* this.#statement(flow === "go" ? mode : "passes");
      flow = flow === "go" ? next : flow;
    }
    return flow;
  }

  *#print(mode: Mode): Steps<Flow> {
    this.at++;
    do {
      const token = this.peek();
      if (token.startsWith('"')) {
        this.at++;
        this.stdout += mode === "runs" ? token.slice(1, -1).replaceAll("\\n", "\n").replaceAll("\\t", "\t") : "";
      } else {
        const value = yield* this.expression(mode);
        this.stdout += mode === "runs" ? show(value, Number(this.get("obase").digits)) : "";
      }
    } while (this.take(","));
    return "go";
  }

  *#define(): Steps<Flow> {
    this.at++;
    const name = this.tokens[this.at++] ?? "";
    this.expect("(");
    const params = this.#names(")");
    this.skipLines();
    const at = this.at;
    this.expect("{");
    this.skipLines();
    const locals = this.take("auto") ? this.#names("\n", ";") : [];
    this.at = at;
    yield* this.#block("passes");
    this.#functions.set(name, { params, locals, at });
    return "go";
  }

  #names(...ends: string[]): string[] {
    const names: string[] = [];
    while (!ends.includes(this.peek())) {
      const token = this.tokens[this.at++] ?? "";
      if (/^[a-z]/.test(token)) {
        names.push(token);
      }
    }
    this.at++;
    return names;
  }

  *#if(mode: Mode): Steps<Flow> {
    this.at++;
    this.expect("(");
    const test = (yield* this.expression(mode)).digits !== 0n;
    this.expect(")");
    this.skipLines();
    let flow = yield* this.#statement(mode === "runs" && test ? "runs" : "passes");
    const before = this.at;
    this.skipLines();
    if (!this.take("else")) {
      this.at = before;
      return flow;
    }
    this.skipLines();
    const other = yield* this.#statement(mode === "runs" && !test ? "runs" : "passes");
    flow = test ? flow : other;
    return flow;
  }

  *#while(mode: Mode): Steps<Flow> {
    const start = this.at;
    for (;;) {
      this.at = start + 1;
      this.expect("(");
      const test = mode === "runs" && (yield* this.expression(mode)).digits !== 0n;
      if (mode === "passes") {
        yield* this.expression(mode);
      }
      this.expect(")");
      this.skipLines();
      const flow = yield* this.#statement(test ? "runs" : "passes");
      if (!test || flow === "break") {
        return "go";
      }
      if (flow === "return" || flow === "quit") {
        return flow;
      }
    }
  }

  *#for(mode: Mode): Steps<Flow> {
    this.at++;
    this.expect("(");
    yield* this.#part(mode, ";");
    const test = this.at;
    for (;;) {
      this.at = test;
      const goes = (yield* this.#part(mode, ";")).digits !== 0n && mode === "runs";
      const step = this.at;
      yield* this.#part("passes", ")");
      this.skipLines();
      const flow = yield* this.#statement(goes ? "runs" : "passes");
      const end = this.at;
      if (!goes || flow === "break") {
        return "go";
      }
      if (flow === "return" || flow === "quit") {
        return flow;
      }
      this.at = step;
      yield* this.#part("runs", ")");
      this.at = end;
    }
  }

  /** One of the three parts of `for`. */
  *#part(mode: Mode, end: string): Steps<Decimal> {
    const value = this.peek() === end ? ONE : yield* this.expression(mode);
    this.expect(end);
    return value;
  }

  protected override *callMade(name: string, args: readonly Decimal[]): Steps<Decimal | null> {
    const made = this.#functions.get(name);
    return made === undefined ? null : yield* this.#run(made, args);
  }

  *#run({ params, locals, at }: Made, args: readonly Decimal[]): Steps<Decimal> {
    const names = [...params, ...locals];
    const saved = names.map((name): [string, Decimal | undefined] => [name, this.variables.get(name)]);
    names.forEach((name, i) => {
      this.variables.set(name, args[i] ?? ZERO);
    });
    const back = this.at;
    this.at = at;
    this.#returned = ZERO;
    yield* this.#block("runs");
    this.at = back;
    for (const [name, value] of saved) {
      if (value === undefined) {
        this.variables.delete(name);
      } else {
        this.variables.set(name, value);
      }
    }
    return this.#returned;
  }
}

/** Takes all steps, and waits where one says so. */
async function awaited<T>(steps: Steps<T>): Promise<T> {
  for (let step = steps.next(); ; step = steps.next(await step.value)) {
    if (step.done === true) {
      return step.value;
    }
  }
}
