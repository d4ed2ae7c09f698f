/** Owns reading awk programs (POSIX, with gawk's `gensub`, `strftime`, `nextfile` and lengths of arrays); never running one. */
import type { AwkFunction, AwkProgram, Expression, PrintStatement, Rule, Statement } from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import { tokenize } from "./lexer.ts";

/** Reads a program. Throws {@link AwkError}. */
export function parseAwk(source: string): AwkProgram {
  return new Parser(tokenize(source)).program();
}

class Parser extends ExpressionParser {
  program(): AwkProgram {
    const begin: Statement[] = [];
    const end: Statement[] = [];
    const rules: Rule[] = [];
    const functions = new Map<string, AwkFunction>();
    this.skipNewlines();
    while (!this.is("end")) {
      if (this.take("keyword", "BEGIN")) {
        begin.push(this.#block());
      } else if (this.take("keyword", "END")) {
        end.push(this.#block());
      } else if (this.take("keyword", "function") || this.take("keyword", "func")) {
        this.#function(functions);
      } else {
        rules.push(this.#rule());
      }
      this.skipNewlines();
    }
    return { begin, end, rules, functions };
  }

  #function(functions: Map<string, AwkFunction>): void {
    const name = this.next().text;
    this.expect("(");
    const params: string[] = [];
    while (!this.take("op", ")")) {
      this.skipLines();
      params.push(this.next().text);
      this.take("op", ",");
      this.skipLines();
    }
    this.skipLines();
    functions.set(name, { params, body: this.#block() });
  }

  #rule(): Rule {
    const pattern = this.is("op", "{") ? null : this.expression();
    let until: Expression | null = null;
    if (pattern !== null && this.take("op", ",")) {
      this.skipLines();
      until = this.expression();
    }
    return { pattern, until, body: this.is("op", "{") ? this.#block() : null };
  }

  #block(): Statement {
    this.expect("{");
    const body: Statement[] = [];
    this.skipNewlines();
    while (!this.take("op", "}")) {
      body.push(this.#statement());
      this.skipNewlines();
    }
    return { type: "block", body };
  }

  #statement(): Statement {
    return this.nested(() => {
      const { kind, text } = this.peek();
      if (kind === "op" && text === "{") {
        return this.#block();
      }
      if (kind === "op" && text === ";") {
        this.next();
        return { type: "block", body: [] };
      }
      if (kind === "keyword" && ["if", "while", "for", "do"].includes(text)) {
        this.next();
        return text === "if"
          ? this.#if()
          : text === "while"
            ? this.#while()
            : text === "for"
              ? this.#for()
              : this.#do();
      }
      const statement = this.#simple();
      this.#endOfStatement();
      return statement;
    });
  }

  #endOfStatement(): void {
    if (!this.is("op", "}") && !this.take("op", ";") && !this.take("newline") && !this.is("end")) {
      this.fail();
    }
  }

  #if(): Statement {
    const test = this.#inParentheses();
    const yes = this.#body();
    const before = this.at;
    this.skipNewlines();
    if (this.take("keyword", "else")) {
      return { type: "if", test, yes, no: this.#body() };
    }
    this.at = before;
    return { type: "if", test, yes, no: null };
  }

  #while(): Statement {
    const test = this.#inParentheses();
    return { type: "while", test, body: this.take("op", ";") ? { type: "block", body: [] } : this.#body() };
  }

  #do(): Statement {
    const body = this.#body();
    this.skipNewlines();
    if (!this.take("keyword", "while")) {
      this.fail();
    }
    const test = this.#inParentheses();
    this.#endOfStatement();
    return { type: "do", test, body };
  }

  #for(): Statement {
    this.expect("(");
    const [a, b, c, d] = this.tokens.slice(this.at, this.at + 4);
    if (a?.kind === "name" && b?.text === "in" && c?.kind === "name" && d?.text === ")") {
      this.at += 4;
      return { type: "each", name: a.text, array: c.text, body: this.#body() };
    }
    const first = this.take("op", ";") ? null : this.#simpleThen(";");
    this.skipLines();
    const test = this.is("op", ";") ? null : this.expression();
    this.expect(";");
    this.skipLines();
    const step = this.take("op", ")") ? null : this.#simpleThen(")");
    return { type: "for", first, test, step, body: this.take("op", ";") ? { type: "block", body: [] } : this.#body() };
  }

  #simpleThen(end: string): Statement {
    const statement = this.#simple();
    this.expect(end);
    return statement;
  }

  #body(): Statement {
    this.skipLines();
    return this.#statement();
  }

  #inParentheses(): Expression {
    this.expect("(");
    const value = this.expression();
    this.expect(")");
    return value;
  }

  #simple(): Statement {
    const { kind, text } = this.peek();
    if (kind !== "keyword") {
      return { type: "expression", value: this.expression() };
    }
    if (text === "print" || text === "printf") {
      this.next();
      return this.#print(text);
    }
    if (text === "break" || text === "continue" || text === "next" || text === "nextfile") {
      this.next();
      return { type: text };
    }
    if (text === "exit" || text === "return") {
      this.next();
      return { type: text, value: this.#endsHere() ? null : this.expression() };
    }
    if (text === "delete") {
      this.next();
      const array = this.next().text;
      return { type: "delete", array, keys: this.take("op", "[") ? this.listUntil("]") : null };
    }
    return { type: "expression", value: this.expression() };
  }

  #print(type: "print" | "printf"): Statement {
    const before = this.noGreater;
    this.noGreater = true;
    let args: readonly Expression[] = [];
    if (!this.#endsHere() && !this.#isRedirection()) {
      const list = [this.expression()];
      while (this.take("op", ",")) {
        this.skipLines();
        list.push(this.expression());
      }
      const [only] = list;
      args = list.length === 1 && only?.type === "group" ? only.items : list;
    }
    let to: PrintStatement["to"] = null;
    if (this.#isRedirection()) {
      const mode = this.next().text as ">" | ">>" | "|";
      to = { mode, name: this.concatenation() };
    }
    this.noGreater = before;
    return { type, args, to };
  }

  #isRedirection(): boolean {
    return this.is("op", ">") || this.is("op", ">>") || this.is("op", "|");
  }

  #endsHere(): boolean {
    return this.is("newline") || this.is("end") || this.is("op", ";") || this.is("op", "}");
  }
}
