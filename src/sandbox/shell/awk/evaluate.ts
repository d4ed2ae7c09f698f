/** Owns what awk's expressions give; never statements. */
import type { LinearRegExp } from "sandbox:just-bash";
import type { AwkProgram, Expression, Target } from "./ast.ts";
import { checked } from "./builtins.ts";
import type { AwkIo, Records } from "./io.ts";
import { AwkError } from "./lexer.ts";
import { Regexes } from "./regexes.ts";
import { compare, Input, isTrue, toNumber, toText, type Value } from "./values.ts";
import { type AwkArray, arrayParameters, Variables } from "./variables.ts";

/** A computation that gives the promises it has to wait for. */
export type Steps<T> = Generator<unknown, T, unknown>;

export abstract class Evaluator {
  protected readonly program: AwkProgram;
  protected readonly io: AwkIo;
  protected readonly variables: Variables;
  readonly #arrays: ReadonlyMap<string, ReadonlySet<string>>;
  protected readonly regexes = new Regexes();

  constructor(program: AwkProgram, io: AwkIo, environment: Readonly<Record<string, string>>) {
    this.program = program;
    this.io = io;
    const split = (text: string, separator: string) => this.split(text, separator);
    this.variables = new Variables(split, environment);
    this.#arrays = arrayParameters(program);
  }

  /** Runs a function's body; gives what it returns. */
  protected abstract callBody(name: string): Steps<Value>;
  /** A function of the language. */
  protected abstract builtin(name: string, args: readonly Expression[]): Steps<Value>;
  /** The next record of the program's own input, or null. */
  protected abstract nextRecord(): Steps<string | null>;
  /** Waits for the bytes of a file. */
  protected *bring(name: string): Steps<void> {
    const arriving = this.io.bring(name);
    if (arriving !== null) {
      yield arriving;
    }
  }

  protected split(text: string, separator: string): string[] {
    const pieces = this.regexes.split(text, separator);
    const isParagraph = this.variables.text("RS") === "" && separator !== "\n" && separator !== " ";
    return isParagraph ? pieces.flatMap((piece) => piece.split("\n")) : pieces;
  }

  /** What a value is as the pattern of a match. */
  protected *pattern(node: Expression): Steps<LinearRegExp> {
    return this.regexes.get(node.type === "regex" ? node.source : toText(yield* this.value(node)));
  }

  *value(node: Expression): Steps<Value> {
    switch (node.type) {
      case "number":
      case "string":
        return node.value;
      case "regex":
        return this.regexes.get(node.source).test(toText(this.variables.field(0))) ? 1 : 0;
      case "variable":
        return this.variables.get(node.name);
      case "field":
        return this.variables.field(Math.trunc(toNumber(yield* this.value(node.index))));
      case "element":
        return yield* this.#element(node);
      case "group": {
        const [only] = node.items;
        return node.items.length === 1 && only !== undefined ? yield* this.value(only) : yield* this.key(node.items);
      }
      case "unary": {
        const value = yield* this.value(node.operand);
        return node.op === "!" ? (isTrue(value) ? 0 : 1) : node.op === "-" ? -toNumber(value) : toNumber(value);
      }
      case "binary":
        return this.#binary(node.op, yield* this.value(node.left), yield* this.value(node.right));
      case "and":
        return isTrue(yield* this.value(node.left)) && isTrue(yield* this.value(node.right)) ? 1 : 0;
      case "or":
        return isTrue(yield* this.value(node.left)) || isTrue(yield* this.value(node.right)) ? 1 : 0;
      case "match": {
        const text = toText(yield* this.value(node.left));
        return (yield* this.pattern(node.right)).test(text) !== node.negated ? 1 : 0;
      }
      case "in":
        return this.variables.array(node.array).has(yield* this.key(node.keys)) ? 1 : 0;
      case "choice":
        return yield* this.value(isTrue(yield* this.value(node.test)) ? node.yes : node.no);
      case "assign":
        return yield* this.#assign(node);
      case "step": {
        const old = toNumber(yield* this.value(node.target));
        yield* this.set(node.target, old + node.by);
        return node.gives === "old" ? old : old + node.by;
      }
      case "call":
        return yield* this.#call(node.name, node.args);
      case "builtin":
        return yield* this.builtin(node.name, node.args);
      default:
        return yield* this.#getline(node);
    }
  }

  *#element(node: Extract<Target, { type: "element" }>): Steps<Value> {
    const key = yield* this.key(node.keys);
    const array = this.variables.array(node.array);
    if (!array.has(key)) {
      this.put(array, key, undefined);
    }
    return array.get(key);
  }

  protected put(array: AwkArray, key: string, value: Value): void {
    array.set(key, value);
    if (array.size > 1_000_000) {
      throw new AwkError("out of memory: an array of more than a million elements");
    }
  }

  #binary(op: string, left: Value, right: Value): Value {
    const form = this.variables.text("CONVFMT");
    switch (op) {
      case " ":
        return checked(toText(left, form) + toText(right, form));
      case "<":
        return compare(left, right) < 0 ? 1 : 0;
      case "<=":
        return compare(left, right) <= 0 ? 1 : 0;
      case "==":
        return compare(left, right) === 0 ? 1 : 0;
      case "!=":
        return compare(left, right) !== 0 ? 1 : 0;
      case ">=":
        return compare(left, right) >= 0 ? 1 : 0;
      case ">":
        return compare(left, right) > 0 ? 1 : 0;
      default:
        return compute(op, toNumber(left), toNumber(right));
    }
  }

  *#assign(node: Extract<Expression, { type: "assign" }>): Steps<Value> {
    if (node.op === "") {
      const value = yield* this.value(node.value);
      yield* this.set(node.target, value);
      return value;
    }
    const right = toNumber(yield* this.value(node.value));
    const value = compute(node.op, toNumber(yield* this.value(node.target)), right);
    yield* this.set(node.target, value);
    return value;
  }

  *set(target: Target, value: Value): Steps<void> {
    if (target.type === "variable") {
      this.variables.set(target.name, value);
    } else if (target.type === "field") {
      this.variables.setField(Math.trunc(toNumber(yield* this.value(target.index))), value);
    } else {
      const key = yield* this.key(target.keys);
      this.put(this.variables.array(target.array), key, value);
    }
  }

  *key(nodes: readonly Expression[]): Steps<string> {
    const parts: string[] = [];
    for (const node of nodes) {
      parts.push(toText(yield* this.value(node), this.variables.text("CONVFMT")));
    }
    return parts.join(parts.length > 1 ? this.variables.text("SUBSEP") : "");
  }

  *#call(name: string, args: readonly Expression[]): Steps<Value> {
    const made = this.program.functions.get(name);
    if (made === undefined) {
      throw new AwkError(`function ${name} never defined`);
    }
    const frame = new Map<string, Value | AwkArray>();
    for (const [i, param] of made.params.entries()) {
      const arg = args[i];
      const isArray = this.#arrays.get(name)?.has(param) === true;
      if (arg?.type === "variable" && (isArray || this.variables.isArray(arg.name))) {
        frame.set(param, this.variables.array(arg.name));
      } else {
        frame.set(param, arg === undefined ? undefined : yield* this.value(arg));
      }
    }
    this.variables.enter(frame);
    try {
      return yield* this.callBody(name);
    } finally {
      this.variables.leave();
    }
  }

  *#getline(node: Extract<Expression, { type: "getline" }>): Steps<Value> {
    let record: string | null;
    if (node.source === null) {
      record = yield* this.nextRecord();
    } else {
      const name = toText(yield* this.value(node.source));
      if (node.from === "file") {
        yield* this.bring(name);
      }
      const records = (node.from === "file" ? this.io.file(name) : yield this.io.command(name)) as Records | null;
      if (records === null) {
        return -1;
      }
      record = records.next(this.variables.text("RS"), this.regexes.find);
      if (record !== null && node.from === "command") {
        this.variables.set("NR", toNumber(this.variables.get("NR")) + 1);
      }
    }
    if (record === null) {
      return 0;
    }
    yield* this.set(node.target ?? { type: "field", index: { type: "number", value: 0 } }, new Input(record));
    return 1;
  }
}

function compute(op: string, left: number, right: number): number {
  switch (op) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "^":
      return left ** right;
    default:
      if (right === 0) {
        throw new AwkError("division by zero");
      }
      return op === "/" ? left / right : left % right;
  }
}
