/** Owns awk's functions that need the program: its variables, expressions, inputs; never operators. */
import type { Expression } from "./ast.ts";
import { checked, PURE, replacement } from "./builtins.ts";
import { Evaluator, type Steps } from "./evaluate.ts";
import { AwkError } from "./lexer.ts";
import { Input, toNumber, toText, type Value } from "./values.ts";

export abstract class Functions extends Evaluator {
  #seed = 0;
  #random = 1;

  protected *builtin(name: string, args: readonly Expression[]): Steps<Value> {
    const [first, second, third] = args;
    switch (name) {
      case "length":
        if (first?.type === "variable" && this.variables.isArray(first.name)) {
          return this.variables.array(first.name).size;
        }
        return [...toText(first === undefined ? this.variables.field(0) : yield* this.value(first))].length;
      case "split":
        return yield* this.#splitInto(first, second, third);
      case "sub":
      case "gsub":
        return yield* this.#substitute(name, args);
      case "gensub":
        return yield* this.#gensub(args);
      case "match":
        return yield* this.#match(first, second);
      case "close":
        return (yield this.io.close(toText(yield* this.#argument(first)))) as number;
      case "system":
        return (yield this.io.system(toText(yield* this.#argument(first)))) as number;
      case "rand":
        // The same numbers in each run until srand is called, as awk has it.
        this.#random = (this.#random * 48_271) % 2_147_483_647;
        return this.#random / 2_147_483_647;
      case "srand": {
        const before = this.#seed;
        this.#seed = first === undefined ? Math.floor(Date.now() / 1000) : toNumber(yield* this.value(first));
        this.#random = (Math.abs(Math.trunc(this.#seed) * 7_919 + 104_729) % 2_147_483_646) + 1;
        return before;
      }
      default:
        break;
    }
    const values: Value[] = [];
    for (const arg of args) {
      values.push(yield* this.value(arg));
    }
    const pure = PURE[name];
    if (pure === undefined) {
      throw new AwkError(`function ${name} is not available`);
    }
    return pure(values);
  }

  *#argument(node: Expression | undefined): Steps<Value> {
    return node === undefined ? "" : yield* this.value(node);
  }

  *#splitInto(text: Expression | undefined, into: Expression | undefined, by: Expression | undefined): Steps<Value> {
    const source = toText(yield* this.#argument(text));
    const separator =
      by === undefined ? this.variables.text("FS") : by.type === "regex" ? by.source : toText(yield* this.value(by));
    const pieces =
      by?.type === "regex" && source !== "" ? this.regexes.pieces(source, separator) : this.split(source, separator);
    const array = this.variables.array(into?.type === "variable" ? into.name : "");
    array.clear();
    pieces.forEach((piece, i) => {
      this.put(array, String(i + 1), new Input(piece));
    });
    return pieces.length;
  }

  *#substitute(name: "sub" | "gsub", args: readonly Expression[]): Steps<Value> {
    const [what, by, where] = args;
    const target = (where ?? { type: "field", index: { type: "number", value: 0 } }) as Expression;
    const regex = yield* this.pattern(what ?? { type: "string", value: "" });
    const form = toText(yield* this.#argument(by));
    const text = toText(yield* this.value(target));
    let count = 0;
    const global = name === "gsub" ? this.regexes.global(regex) : regex;
    const changed = global.replace(text, (whole) => {
      count++;
      return replacement(form, whole);
    });
    if (count > 0 && (target.type === "variable" || target.type === "field" || target.type === "element")) {
      yield* this.set(target, checked(changed));
    }
    return count;
  }

  *#gensub(args: readonly Expression[]): Steps<Value> {
    const [what, by, how, where] = args;
    const regex = yield* this.pattern(what ?? { type: "string", value: "" });
    const form = toText(yield* this.#argument(by));
    const which = toText(yield* this.#argument(how));
    const text = where === undefined ? toText(this.variables.field(0)) : toText(yield* this.value(where));
    let count = 0;
    return this.regexes.global(regex).replace(text, (whole, ...groups) => {
      count++;
      if (!/^g/i.test(which) && count !== Math.max(1, Math.trunc(toNumber(which)))) {
        return whole;
      }
      return form.replace(/\\([\d&\\])|&/g, (found, letter?: string) => {
        const group = letter !== undefined && /[1-9]/.test(letter) ? groups[Number(letter) - 1] : undefined;
        return found === "&" || letter === "0"
          ? whole
          : letter === "&" || letter === "\\"
            ? letter
            : String(group ?? "");
      });
    });
  }

  *#match(text: Expression | undefined, by: Expression | undefined): Steps<Value> {
    const source = toText(yield* this.#argument(text));
    const found = (yield* this.pattern(by ?? { type: "string", value: "" })).exec(source);
    const at = found === null ? 0 : [...source.slice(0, found.index)].length + 1;
    this.variables.set("RSTART", at);
    this.variables.set("RLENGTH", found === null ? -1 : [...found[0]].length);
    return at;
  }
}
