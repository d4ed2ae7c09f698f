/** Owns running an awk program over its input: rules, statements, records; never expressions. */
import type { PrintStatement, Rule, Statement } from "./ast.ts";
import { checked, sprintf } from "./builtins.ts";
import type { Steps } from "./evaluate.ts";
import type { AwkIo } from "./io.ts";
import { AwkError } from "./lexer.ts";
import { Reader } from "./reader.ts";
import { Input, isTrue, toNumber, toText, type Value } from "./values.ts";

/** How a statement ended, when it did not simply end. */
type Ending = "break" | "continue" | "next" | "nextfile" | "exit" | "return" | null;

export class Interpreter extends Reader {
  readonly #ranges = new Set<Rule>();
  #returned: Value;

  get output(): AwkIo {
    return this.io;
  }

  /** Runs the program to its end; gives the exit status. */
  async run(): Promise<number> {
    const steps = this.#run();
    for (let step = steps.next(); ; ) {
      if (step.done === true) {
        await this.io.closeAll();
        return step.value;
      }
      step = steps.next(await step.value);
    }
  }

  *#run(): Steps<number> {
    for (const body of this.program.begin) {
      if ((yield* this.#execute(body)) === "exit") {
        return yield* this.#end();
      }
    }
    if (this.program.rules.length === 0 && this.program.end.length === 0) {
      return this.status;
    }
    for (let record = yield* this.nextRecord(); record !== null; record = yield* this.nextRecord()) {
      this.variables.setRecord(record);
      if ((yield* this.#rules()) === "exit") {
        return yield* this.#end();
      }
    }
    return yield* this.#end();
  }

  *#end(): Steps<number> {
    for (const body of this.program.end) {
      if ((yield* this.#execute(body)) === "exit") {
        break;
      }
    }
    return this.status;
  }

  *#rules(): Steps<Ending> {
    for (const rule of this.program.rules) {
      if (!(yield* this.#applies(rule))) {
        continue;
      }
      const ending = rule.body === null ? this.#printRecord() : yield* this.#execute(rule.body);
      if (ending === "nextfile") {
        this.skipInput();
      }
      if (ending !== null) {
        return ending;
      }
    }
    return null;
  }

  #printRecord(): null {
    this.io.print(toText(this.variables.field(0)) + this.variables.text("ORS"));
    return null;
  }

  *#applies(rule: Rule): Steps<boolean> {
    const { pattern, until } = rule;
    if (pattern === null) {
      return true;
    }
    if (until === null) {
      return isTrue(yield* this.value(pattern));
    }
    if (!this.#ranges.has(rule) && !isTrue(yield* this.value(pattern))) {
      return false;
    }
    if (isTrue(yield* this.value(until))) {
      this.#ranges.delete(rule);
    } else {
      this.#ranges.add(rule);
    }
    return true;
  }

  protected *callBody(name: string): Steps<Value> {
    const body = this.program.functions.get(name)?.body;
    this.#returned = undefined;
    const ending = body === undefined ? null : yield* this.#execute(body);
    if (ending === "exit" || ending === "next") {
      throw new Left(ending);
    }
    const value = this.#returned;
    this.#returned = undefined;
    return value;
  }

  *#execute(node: Statement): Steps<Ending> {
    try {
      return yield* this.#statement(node);
    } catch (error) {
      if (error instanceof Left) {
        return error.ending;
      }
      throw error;
    }
  }

  *#statement(node: Statement): Steps<Ending> {
    switch (node.type) {
      case "expression":
        yield* this.value(node.value);
        return null;
      case "print":
      case "printf":
        yield* this.#print(node);
        return null;
      case "block":
        for (const one of node.body) {
          const ending = yield* this.#statement(one);
          if (ending !== null) {
            return ending;
          }
        }
        return null;
      case "if": {
        const chosen = isTrue(yield* this.value(node.test)) ? node.yes : node.no;
        return chosen === null ? null : yield* this.#statement(chosen);
      }
      case "while":
        return yield* this.#loop({ ...node, type: "for", first: null, step: null });
      case "do": {
        const ending = yield* this.#statement(node.body);
        if (leaves(ending)) {
          return after(ending);
        }
        return yield* this.#loop({ ...node, type: "for", first: null, step: null });
      }
      case "for":
        return yield* this.#loop(node);
      case "each":
        return yield* this.#each(node);
      case "delete": {
        const array = this.variables.array(node.array);
        if (node.keys === null) {
          array.clear();
        } else {
          array.delete(yield* this.key(node.keys));
        }
        return null;
      }
      case "exit":
        this.status = node.value === null ? this.status : Math.trunc(toNumber(yield* this.value(node.value))) & 0xff;
        return "exit";
      case "return":
        this.#returned = node.value === null ? undefined : yield* this.value(node.value);
        return "return";
      default:
        return node.type;
    }
  }

  *#loop(node: Extract<Statement, { type: "for" }>): Steps<Ending> {
    if (node.first !== null) {
      yield* this.#statement(node.first);
    }
    while (node.test === null || isTrue(yield* this.value(node.test))) {
      yield* this.tick();
      const ending = yield* this.#statement(node.body);
      if (leaves(ending)) {
        return after(ending);
      }
      if (node.step !== null) {
        yield* this.#statement(node.step);
      }
    }
    return null;
  }

  *#each(node: Extract<Statement, { type: "each" }>): Steps<Ending> {
    for (const key of [...this.variables.array(node.array).keys()]) {
      this.variables.set(node.name, new Input(key));
      const ending = yield* this.#statement(node.body);
      if (leaves(ending)) {
        return after(ending);
      }
    }
    return null;
  }

  *#print(node: PrintStatement): Steps<void> {
    const values: Value[] = [];
    for (const arg of node.args) {
      values.push(yield* this.value(arg));
    }
    const { variables } = this;
    const shown = values.length === 0 ? [variables.field(0)] : values;
    const text =
      node.type === "printf"
        ? sprintf(toText(shown[0]), shown.slice(1))
        : shown.map((value) => toText(value, variables.text("OFMT"))).join(variables.text("OFS")) +
          variables.text("ORS");
    if (node.to === null) {
      this.io.print(checked(text));
    } else {
      this.io.write(node.to.mode, toText(yield* this.value(node.to.name)), checked(text));
    }
  }
}

/** True when a loop is over with that ending of its body. */
const leaves = (ending: Ending) => ending !== null && ending !== "continue";
const after = (ending: Ending) => (ending === "break" ? null : ending);

/** `next` and `exit` inside a function leave it and all that called it. */
class Left extends AwkError {
  readonly ending: "next" | "exit";

  constructor(ending: "next" | "exit") {
    super(`${ending} outside of a rule`);
    this.ending = ending;
  }
}
