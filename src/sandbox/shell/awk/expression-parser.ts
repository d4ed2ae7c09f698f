/** Owns reading awk's expressions; never its statements. */
import type { Expression, Target } from "./ast.ts";
import { AwkError, type Token } from "./lexer.ts";

/** Deeper programs are refused. */
const MOST_DEPTH = 400;

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const COMPARISONS = new Set(["<", "<=", "==", "!=", ">=", ">"]);

export class ExpressionParser {
  protected readonly tokens: readonly Token[];
  protected at = 0;
  /** Inside `print`, `>` is a redirection. */
  protected noGreater = false;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  protected expression(): Expression {
    return this.nested(() => this.#choice());
  }

  #choice(): Expression {
    const test = this.#or();
    if (this.take("op", "?")) {
      this.skipLines();
      const yes = this.expression();
      this.skipLines();
      this.expect(":");
      this.skipLines();
      return { type: "choice", test, yes, no: this.expression() };
    }
    const { kind, text } = this.peek();
    if (kind === "op" && ASSIGNMENTS.has(text)) {
      const { target, wrap } = assignable(test) ?? this.fail();
      this.next();
      this.skipLines();
      return wrap({ type: "assign", op: text.slice(0, -1), target, value: this.expression() });
    }
    return test;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.take("op", "||")) {
      this.skipLines();
      left = { type: "or", left, right: this.#and() };
    }
    return left;
  }

  #and(): Expression {
    let left = this.#in();
    while (this.take("op", "&&")) {
      this.skipLines();
      left = { type: "and", left, right: this.#in() };
    }
    return left;
  }

  #in(): Expression {
    let left = this.#match();
    while (this.take("keyword", "in")) {
      left = { type: "in", keys: left.type === "group" ? left.items : [left], array: this.next().text };
    }
    return left;
  }

  #match(): Expression {
    let left = this.#comparison();
    while (this.is("op", "~") || this.is("op", "!~")) {
      const negated = this.next().text === "!~";
      left = { type: "match", negated, left, right: this.#comparison() };
    }
    return left;
  }

  #comparison(): Expression {
    let left = this.concatenation();
    const { kind, text } = this.peek();
    if (kind === "op" && COMPARISONS.has(text) && !(text === ">" && this.noGreater)) {
      this.next();
      left = { type: "binary", op: text, left, right: this.concatenation() };
    }
    while (this.is("op", "|") && this.tokens[this.at + 1]?.text === "getline") {
      this.at += 2;
      left = { type: "getline", from: "command", source: left, target: this.#optionalTarget() };
    }
    return left;
  }

  protected concatenation(): Expression {
    let left = this.#sum();
    while (this.#beginsOperand()) {
      left = { type: "binary", op: " ", left, right: this.#sum() };
    }
    return left;
  }

  #beginsOperand(): boolean {
    const { kind, text } = this.peek();
    if (kind === "op") {
      return ["$", "!", "(", "-", "+", "++", "--"].includes(text);
    }
    return ["number", "string", "regex", "name", "call", "builtin"].includes(kind);
  }

  #sum(): Expression {
    let left = this.#product();
    while (this.is("op", "+") || this.is("op", "-")) {
      left = { type: "binary", op: this.next().text, left, right: this.#product() };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#unary();
    while (this.is("op", "*") || this.is("op", "/") || this.is("op", "%")) {
      left = { type: "binary", op: this.next().text, left, right: this.#unary() };
    }
    return left;
  }

  #unary(): Expression {
    return this.nested(() => {
      if (this.is("op", "!") || this.is("op", "-") || this.is("op", "+")) {
        return { type: "unary", op: this.next().text, operand: this.#unary() };
      }
      return this.#power();
    });
  }

  #power(): Expression {
    const base = this.#postfix();
    return this.take("op", "^") ? { type: "binary", op: "^", left: base, right: this.#unary() } : base;
  }

  #postfix(): Expression {
    if (this.is("op", "++") || this.is("op", "--")) {
      const by = this.next().text === "++" ? 1 : -1;
      return { type: "step", by, target: asTarget(this.#primary()) ?? this.fail(), gives: "new" };
    }
    const value = this.#primary();
    const target = asTarget(value);
    if (target !== null && (this.is("op", "++") || this.is("op", "--"))) {
      return { type: "step", by: this.next().text === "++" ? 1 : -1, target, gives: "old" };
    }
    return value;
  }

  #primary(): Expression {
    const { kind, text } = this.next();
    switch (kind) {
      case "number":
        return { type: "number", value: Number(text) };
      case "string":
        return { type: "string", value: text };
      case "regex":
        return { type: "regex", source: text };
      case "builtin":
        return { type: "builtin", name: text, args: this.take("op", "(") ? this.listUntil(")") : [] };
      case "call":
        this.expect("(");
        return { type: "call", name: text, args: this.listUntil(")") };
      case "name":
        return this.take("op", "[")
          ? { type: "element", array: text, keys: this.listUntil("]") }
          : { type: "variable", name: text };
      default:
        break;
    }
    if (kind === "op" && text === "$") {
      return { type: "field", index: this.nested(() => this.#postfixOfField()) };
    }
    if (kind === "op" && text === "(") {
      return this.#group();
    }
    if (kind === "keyword" && text === "getline") {
      const target = this.#optionalTarget();
      return this.take("op", "<")
        ? { type: "getline", from: "file", source: this.#postfix(), target }
        : { type: "getline", from: "input", source: null, target };
    }
    this.at--;
    return this.fail();
  }

  /** `$NF-1` is `($NF)-1`, `$i++` is `($i)++`, `$++i` is `$(++i)`. */
  #postfixOfField(): Expression {
    if (this.is("op", "-") || this.is("op", "+") || this.is("op", "!")) {
      return { type: "unary", op: this.next().text, operand: this.#primary() };
    }
    return this.is("op", "++") || this.is("op", "--") ? this.#postfix() : this.#primary();
  }

  #group(): Expression {
    return { type: "group", items: this.listUntil(")") };
  }

  protected listUntil(end: string): Expression[] {
    const greater = this.noGreater;
    this.noGreater = false;
    const items: Expression[] = [];
    this.skipLines();
    while (!this.take("op", end)) {
      items.push(this.expression());
      this.skipLines();
      if (!this.take("op", ",") && !this.is("op", end)) {
        this.fail();
      }
      this.skipLines();
    }
    this.noGreater = greater;
    return items;
  }

  #optionalTarget(): Target | null {
    return this.is("op", "$") || this.is("name") ? asTarget(this.#primary()) : null;
  }

  protected nested<T>(read: () => T): T {
    if (++this.#depth > MOST_DEPTH) {
      throw new AwkError("program is nested too deep");
    }
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }

  protected peek(): Token {
    return this.tokens[this.at] ?? { kind: "end", text: "end of program" };
  }

  protected next(): Token {
    const token = this.peek();
    this.at++;
    return token;
  }

  protected is(kind: Token["kind"], text?: string): boolean {
    const token = this.peek();
    return token.kind === kind && (text === undefined || token.text === text);
  }

  protected take(kind: Token["kind"], text?: string): boolean {
    const found = this.is(kind, text);
    this.at += found ? 1 : 0;
    return found;
  }

  protected expect(text: string): void {
    if (!this.take("op", text)) {
      this.fail();
    }
  }

  protected skipLines(): void {
    while (this.take("newline")) {}
  }

  protected skipNewlines(): void {
    while (this.take("newline") || this.take("op", ";")) {}
  }

  protected fail(): never {
    const { text } = this.peek();
    throw new AwkError(`syntax error at or near ${text === "\n" ? "end of line" : text}`);
  }
}
/**
 * The target of an assignment whose left side was read as a whole: awk takes `a == b = c` and `1 + x = 3` apart at the last
 * operand, as `!x = y` shows in real programs.
 */
function assignable(
  value: Expression,
): { readonly target: Target; readonly wrap: (assigned: Expression) => Expression } | null {
  const target = asTarget(value);
  if (target !== null) {
    return { target, wrap: (assigned) => assigned };
  }
  if (value.type === "unary") {
    const inner = assignable(value.operand);
    return inner && { target: inner.target, wrap: (assigned) => ({ ...value, operand: inner.wrap(assigned) }) };
  }
  if (value.type === "binary" || value.type === "and" || value.type === "or" || value.type === "match") {
    const inner = assignable(value.right);
    return inner && { target: inner.target, wrap: (assigned) => ({ ...value, right: inner.wrap(assigned) }) };
  }
  return null;
}

function asTarget(value: Expression): Target | null {
  return value.type === "variable" || value.type === "field" || value.type === "element" ? value : null;
}
