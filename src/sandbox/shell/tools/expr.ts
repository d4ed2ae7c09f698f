/** Owns `expr`; never the shell's own arithmetic. */

import type { Result } from "../inside.ts";
import { compile } from "../sed/expression.ts";
import { fail, say, UsageError } from "./tool.ts";

const LEVELS: readonly (readonly string[])[] = [
  ["|"],
  ["&"],
  ["<", "<=", "=", "==", "!=", ">=", ">"],
  ["+", "-"],
  ["*", "/", "%"],
  [":"],
];

export function expr(args: readonly string[]): Result {
  if (args.length === 0) {
    return fail("expr: missing operand\nTry 'expr --help' for more information.", 2);
  }
  const reader = new Reader(args[0] === "--" ? args.slice(1) : args);
  try {
    const value = reader.all();
    return { ...say(`${value}\n`), exitCode: isNothing(value) ? 1 : 0 };
  } catch (error) {
    if (error instanceof UsageError) {
      return fail(`expr: ${error.message}`, 2);
    }
    throw error;
  }
}

const isNothing = (value: string) => value === "" || /^-?0+$/.test(value);

class Reader {
  readonly #words: readonly string[];
  #at = 0;
  #depth = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  all(): string {
    const value = this.#level(0);
    if (this.#at < this.#words.length) {
      throw new UsageError(`syntax error: unexpected argument ‘${this.#words[this.#at]}’`);
    }
    return value;
  }

  #level(level: number): string {
    const operators = LEVELS[level];
    if (operators === undefined) {
      return this.#primary();
    }
    let left = this.#level(level + 1);
    while (operators.includes(this.#words[this.#at] ?? "")) {
      const operator = this.#words[this.#at++] ?? "";
      left = compute(operator, left, this.#level(level + 1));
    }
    return left;
  }

  #primary(): string {
    const word = this.#words[this.#at++];
    if (word === undefined) {
      throw new UsageError(`syntax error: missing argument after ‘${this.#words.at(-1)}’`);
    }
    if (word === "(") {
      if (++this.#depth > 200) {
        throw new UsageError("syntax error: nested too deep");
      }
      const value = this.#level(0);
      if (this.#words[this.#at++] !== ")") {
        throw new UsageError(`syntax error: expecting ')' after ‘${this.#words[this.#at - 2]}’`);
      }
      this.#depth--;
      return value;
    }
    const isCall = this.#at < this.#words.length;
    if (isCall && word === "length") {
      return String([...this.#primary()].length);
    }
    if (isCall && word === "match") {
      return compute(":", this.#primary(), this.#primary());
    }
    if (isCall && word === "index") {
      const letters = [...this.#primary()];
      const wanted = this.#primary();
      return String(letters.findIndex((letter) => wanted.includes(letter)) + 1);
    }
    if (isCall && word === "substr") {
      const letters = [...this.#primary()];
      const from = Number(this.#primary());
      const length = Number(this.#primary());
      return from > 0 && length > 0 ? letters.slice(from - 1, from - 1 + length).join("") : "";
    }
    return word === "+" && isCall ? (this.#words[this.#at++] ?? "") : word;
  }
}

/** Digits that the numbers of one operation may have: their product takes as long as its square. */
const MOST_DIGITS = 20_000;

function compute(operator: string, left: string, right: string): string {
  if (operator === "|") {
    return isNothing(left) ? (isNothing(right) ? "0" : right) : left;
  }
  if (operator === "&") {
    return isNothing(left) || isNothing(right) ? "0" : left;
  }
  if (operator === ":") {
    const groups = /\\\(/.test(right);
    const match = compile(`^${right.replace(/^\^/, "")}`, "basic").exec(left);
    return groups ? (match?.[1] ?? "") : String([...(match?.[0] ?? "")].length);
  }
  const isNumber = /^-?\d+$/.test(left) && /^-?\d+$/.test(right);
  if (isNumber && left.length + right.length > MOST_DIGITS) {
    throw new UsageError("Numerical result out of range");
  }
  if (["<", "<=", "=", "==", "!=", ">=", ">"].includes(operator)) {
    const [a, b] = isNumber ? [BigInt(left), BigInt(right)] : [left, right];
    const order = a < b ? -1 : a > b ? 1 : 0;
    const holds =
      operator === "<"
        ? order < 0
        : operator === "<="
          ? order <= 0
          : operator === ">"
            ? order > 0
            : operator === ">="
              ? order >= 0
              : operator === "!="
                ? order !== 0
                : order === 0;
    return holds ? "1" : "0";
  }
  if (!isNumber) {
    throw new UsageError("non-integer argument");
  }
  const [a, b] = [BigInt(left), BigInt(right)];
  if ((operator === "/" || operator === "%") && b === 0n) {
    throw new UsageError("division by zero");
  }
  const value =
    operator === "+" ? a + b : operator === "-" ? a - b : operator === "*" ? a * b : operator === "/" ? a / b : a % b;
  return String(value);
}
