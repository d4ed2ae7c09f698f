/** Owns awk's regular expressions and cutting texts by them; never an expression's value. */
import { LinearRegExp } from "sandbox:just-bash";
import { AwkError } from "./lexer.ts";

/** Compiled expressions that are kept. */
const MOST = 200;

export class Regexes {
  readonly #known = new Map<string, LinearRegExp>();

  readonly find = (source: string) => this.get(source);

  get(source: string): LinearRegExp {
    return this.#compile(source, "s");
  }

  /** The same for all places of a text. */
  global({ source }: LinearRegExp): LinearRegExp {
    return this.#compile(source, "gs");
  }

  #compile(source: string, flags: string): LinearRegExp {
    const key = `${flags}/${source}`;
    let found = this.#known.get(key);
    if (found === undefined) {
      try {
        found = new LinearRegExp(source.replaceAll("\\y", "\\b"), flags);
      } catch (error) {
        throw new AwkError(`regular expression ${source}: ${error instanceof Error ? error.message : error}`);
      }
      if (this.#known.size > MOST) {
        this.#known.clear();
      }
      this.#known.set(key, found);
    }
    return found;
  }

  /** The fields of a text: a blank cuts at runs of blanks, one letter at itself, "" at each letter, all else is an expression. */
  split(text: string, separator: string): string[] {
    if (separator === " ") {
      const trimmed = text.replace(/^[ \t\n]+|[ \t\n]+$/g, "");
      return trimmed === "" ? [] : trimmed.split(/[ \t\n]+/);
    }
    if (text === "") {
      return [];
    }
    if (separator === "") {
      return [...text];
    }
    return separator.length === 1 && separator !== "\\" ? text.split(separator) : this.pieces(text, separator);
  }

  /** What is left between the places that an expression matches. */
  pieces(text: string, separator: string): string[] {
    const regex = this.get(separator);
    const pieces: string[] = [];
    let rest = text;
    for (let match = regex.exec(rest); match !== null && match[0] !== ""; match = regex.exec(rest)) {
      pieces.push(rest.slice(0, match.index));
      rest = rest.slice(match.index + match[0].length);
    }
    return [...pieces, rest];
  }
}
