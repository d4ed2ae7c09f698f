/** Owns bc's expressions and variables; never its statements. */

import { library } from "./bc-library.ts";
import {
  add,
  compareDecimals,
  type Decimal,
  decimal,
  divide,
  multiply,
  negate,
  ONE,
  power,
  remainder,
  squareRoot,
  withScale,
  ZERO,
} from "./bc-number.ts";
import { UsageError } from "./tool.ts";

const TOKEN =
  /\s*(?:(\d[\dA-F]*\.?[\dA-F]*|\.[\dA-F]+|[A-F][\dA-F]*\.?[\dA-F]*)|([a-z]\w*)|("[^"]*")|(\+\+|--|[-+*/%^]=|&&|\|\||[<>=!]=|[-+*/%^=<>!(){}[\];,\n]))/y;
/** What may have to wait for the run's next turn in between. */
export type Steps<T> = Generator<unknown, T, unknown>;

/** Statements and expressions are read and run at once, or read only. */
export type Mode = "runs" | "passes";

export abstract class BcExpressions {
  protected readonly tokens: readonly string[];
  protected at = 0;
  protected readonly variables = new Map<string, Decimal>();

  constructor(source: string, scale: number) {
    this.tokens = tokens(source);
    this.variables.set("scale", { digits: BigInt(scale), scale: 0 });
    this.variables.set("ibase", { digits: 10n, scale: 0 });
    this.variables.set("obase", { digits: 10n, scale: 0 });
  }

  /** Calls a function that the program defined; null when there is none. */
  protected abstract callMade(name: string, args: readonly Decimal[]): Steps<Decimal | null>;

  protected get scale(): number {
    return Number(this.get("scale").digits);
  }

  protected get(name: string): Decimal {
    return this.variables.get(name) ?? ZERO;
  }

  protected peek(): string {
    return this.tokens[this.at] ?? "\n";
  }

  protected take(token: string): boolean {
    const found = this.at < this.tokens.length && this.tokens[this.at] === token;
    this.at += found ? 1 : 0;
    return found;
  }

  protected expect(token: string): void {
    if (!this.take(token)) {
      throw new UsageError("syntax error");
    }
  }

  protected skipLines(): void {
    while (this.take("\n")) {}
  }

  protected *expression(mode: Mode): Steps<Decimal> {
    const name = this.peek();
    const op = this.tokens[this.at + 1] ?? "";
    if (/^[a-z]/.test(name) && /^[-+*/%^]?=$/.test(op) && op !== "==") {
      this.at += 2;
      const right = yield* this.expression(mode);
      return this.store(name, op === "=" ? right : this.#compute(op.slice(0, 1), this.get(name), right), mode);
    }
    return yield* this.#logic(mode);
  }

  protected store(name: string, value: Decimal, mode: Mode): Decimal {
    if (mode === "runs") {
      this.variables.set(name, SETTINGS.has(name) ? setting(name, value) : value);
    }
    return value;
  }

  *#logic(mode: Mode): Steps<Decimal> {
    let left = yield* this.#comparison(mode);
    while (this.peek() === "&&" || this.peek() === "||") {
      const isAnd = this.tokens[this.at++] === "&&";
      const right = yield* this.#comparison(mode);
      const [a, b] = [left.digits !== 0n, right.digits !== 0n];
      left = (isAnd ? a && b : a || b) ? ONE : ZERO;
    }
    return left;
  }

  *#comparison(mode: Mode): Steps<Decimal> {
    if (this.take("!")) {
      return (yield* this.#comparison(mode)).digits === 0n ? ONE : ZERO;
    }
    let left = yield* this.#sum(mode);
    while (["<", "<=", ">", ">=", "==", "!="].includes(this.peek())) {
      const op = this.tokens[this.at++];
      const order = compareDecimals(left, yield* this.#sum(mode));
      const holds =
        op === "<"
          ? order < 0
          : op === "<="
            ? order <= 0
            : op === ">"
              ? order > 0
              : op === ">="
                ? order >= 0
                : op === "=="
                  ? order === 0
                  : order !== 0;
      left = holds ? ONE : ZERO;
    }
    return left;
  }

  *#sum(mode: Mode): Steps<Decimal> {
    let left = yield* this.#product(mode);
    while (this.peek() === "+" || this.peek() === "-") {
      const op = this.tokens[this.at++] ?? "";
      left = this.#compute(op, left, yield* this.#product(mode));
    }
    return left;
  }

  *#product(mode: Mode): Steps<Decimal> {
    let left = yield* this.#unary(mode);
    while (["*", "/", "%"].includes(this.peek())) {
      const op = this.tokens[this.at++] ?? "";
      const right = yield* this.#unary(mode);
      left = mode === "runs" ? this.#compute(op, left, right) : ZERO;
    }
    return left;
  }

  *#unary(mode: Mode): Steps<Decimal> {
    return this.take("-") ? negate(yield* this.#unary(mode)) : yield* this.#raised(mode);
  }

  *#raised(mode: Mode): Steps<Decimal> {
    const base = yield* this.#primary(mode);
    if (!this.take("^")) {
      return base;
    }
    const exponent = yield* this.#unary(mode);
    return mode === "runs" ? this.#compute("^", base, exponent) : base;
  }

  #compute(op: string, left: Decimal, right: Decimal): Decimal {
    switch (op) {
      case "+":
        return add(left, right);
      case "-":
        return add(left, negate(right));
      case "*":
        return multiply(left, right, this.scale);
      case "/":
        return divide(left, right, this.scale);
      case "%":
        return remainder(left, right, this.scale);
      default:
        return power(left, right, this.scale);
    }
  }

  *#primary(mode: Mode): Steps<Decimal> {
    const token = this.tokens[this.at++] ?? "\n";
    if (token === "(") {
      const value = yield* this.expression(mode);
      this.expect(")");
      return value;
    }
    if (token === "++" || token === "--") {
      const name = this.tokens[this.at++] ?? "";
      return this.store(name, add(this.get(name), token === "++" ? ONE : negate(ONE)), mode);
    }
    if (/^[\d.A-F]/.test(token)) {
      return decimal(token, Number(this.get("ibase").digits));
    }
    if (!/^[a-z]/.test(token)) {
      this.at--;
      throw new UsageError("syntax error");
    }
    if (this.take("(")) {
      const args: Decimal[] = [];
      while (!this.take(")")) {
        args.push(yield* this.expression(mode));
        this.take(",");
      }
      return mode === "runs" ? yield* this.#call(token, args) : ONE;
    }
    const value = this.get(token);
    if (this.peek() === "++" || this.peek() === "--") {
      this.store(token, add(value, this.tokens[this.at++] === "++" ? ONE : negate(ONE)), mode);
    }
    return value;
  }

  *#call(name: string, args: readonly Decimal[]): Steps<Decimal> {
    const [value = ZERO] = args;
    const made = yield* this.callMade(name, args);
    if (made !== null) {
      return made;
    }
    if (name === "sqrt") {
      return squareRoot(value, this.scale);
    }
    if (name === "length") {
      return { digits: BigInt(value.digits.toString().replace("-", "").length), scale: 0 };
    }
    if (name === "scale") {
      return { digits: BigInt(value.scale), scale: 0 };
    }
    const found = library(name, value, this.scale);
    if (found === null) {
      throw new UsageError(`Function ${name} not defined.`);
    }
    return found;
  }
}

const SETTINGS = new Set(["scale", "ibase", "obase"]);
const LEAST_BASE = 2n;
const MOST_BASE = 16n;

/** What `scale`, `ibase` and `obase` become: bc takes the nearest value that it can work with. */
function setting(name: string, value: Decimal): Decimal {
  const { digits } = withScale(value, 0);
  if (name === "scale") {
    return digits < 0n ? ZERO : { digits, scale: 0 };
  }
  if (digits > MOST_BASE) {
    throw new UsageError(`an ${name} of more than ${MOST_BASE} is not available here`);
  }
  return { digits: digits < LEAST_BASE ? LEAST_BASE : digits, scale: 0 };
}

function tokens(source: string): string[] {
  const text = source
    .replace(/\/\*[\s\S]*?\*\//g, " ")
    .replace(/#[^\n]*/g, "")
    .replaceAll("\\\n", "");
  const found: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    // Blanks are passed over, newlines are tokens.
    const blank = /[ \t\r]*/y;
    blank.lastIndex = at;
    blank.exec(text);
    if (blank.lastIndex >= text.length) {
      break;
    }
    if (text[blank.lastIndex] === "\n") {
      found.push("\n");
      TOKEN.lastIndex = blank.lastIndex + 1;
      continue;
    }
    TOKEN.lastIndex = blank.lastIndex;
    const match = TOKEN.exec(text);
    if (match === null) {
      throw new UsageError("syntax error");
    }
    found.push(match[0].trim() || "\n");
  }
  return found;
}
