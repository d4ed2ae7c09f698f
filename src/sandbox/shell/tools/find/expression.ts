/** Owns reading the words of `find` into a test that places pass or not; never walking the tree. */
import { resolvePath } from "../../../files/paths.ts";
import { compile } from "../../sed/expression.ts";
import { globOf } from "../glob.ts";
import type { Surroundings } from "../tool.ts";
import { type Entry, listed, nameOf, printed } from "./entry.ts";
import { factTest } from "./facts.ts";
import { FindError } from "./numbers.ts";

/** What a walk does as it goes. */
export interface Run {
  readonly around: Surroundings;
  readonly now: number;
  /** To standard output, or to a file by its absolute path. */
  print(text: string, file?: string): void;
  prune(): void;
  quit(): void;
  delete(entry: Entry): boolean;
  execute(words: readonly string[], entry: Entry, where: "here" | "there"): Promise<boolean>;
  /** Puts a path to those that one command gets at the end. */
  collect(words: readonly string[], path: string): void;
}

export type Test = (entry: Entry, run: Run) => boolean | Promise<boolean>;

/** An expression and what is said beside it. */
export interface Expression {
  readonly test: Test;
  readonly leastDepth: number;
  readonly mostDepth: number;
  readonly order: "before" | "after";
}

/** Reads the words behind the starting points. */
export function readExpression(words: readonly string[], around: Surroundings): Expression {
  return new Reader(words, around).read();
}

class Reader {
  readonly #words: readonly string[];
  readonly #around: Surroundings;
  #at = 0;
  #acts = false;
  #leastDepth = 0;
  #mostDepth = Number.POSITIVE_INFINITY;
  #order: Expression["order"] = "before";
  #regexes: "basic" | "extended" = "basic";

  constructor(words: readonly string[], around: Surroundings) {
    this.#words = words;
    this.#around = around;
  }

  read(): Expression {
    const given = this.#words.length === 0 ? () => true : this.#either();
    if (this.#at < this.#words.length) {
      throw new FindError(`unexpected argument \`${this.#words[this.#at]}'`);
    }
    const print: Test = (entry, run) => {
      run.print(`${entry.path}\n`);
      return true;
    };
    const test = this.#acts ? given : both(given, print);
    return { test, leastDepth: this.#leastDepth, mostDepth: this.#mostDepth, order: this.#order };
  }

  #either(): Test {
    let test = this.#all();
    for (let word = this.#peek(); word === "-o" || word === "-or" || word === ","; word = this.#peek()) {
      this.#at++;
      const [left, right] = [test, this.#all()];
      const isList = word === ",";
      test = async (entry, run) => {
        const found = await left(entry, run);
        return (found && !isList) || (await right(entry, run));
      };
    }
    return test;
  }

  #all(): Test {
    let test = this.#one();
    for (let word = this.#peek(); word !== undefined && !/^(?:-o|-or|,|\))$/.test(word); word = this.#peek()) {
      this.#at += word === "-a" || word === "-and" ? 1 : 0;
      test = both(test, this.#one());
    }
    return test;
  }

  #one(): Test {
    const word = this.#next("expression");
    if (word === "!" || word === "-not") {
      const test = this.#one();
      return async (entry, run) => !(await test(entry, run));
    }
    if (word === "(") {
      const test = this.#either();
      if (this.#next("`)'") !== ")") {
        throw new FindError("invalid expression; expected to find a ')' but didn't see one.");
      }
      return test;
    }
    return this.#test(word);
  }

  #peek(): string | undefined {
    return this.#words[this.#at];
  }

  #next(what: string): string {
    const word = this.#words[this.#at++];
    if (word === undefined) {
      throw new FindError(`missing argument to \`${what}'`);
    }
    return word;
  }

  #test(word: string): Test {
    const value = () => this.#next(word);
    const glob = (flags: string) => {
      const { source } = globOf(value());
      return new RegExp(source, `s${flags}`);
    };
    switch (word) {
      case "-true":
        return () => true;
      case "-false":
        return () => false;
      case "-depth":
      case "-d":
        this.#order = "after";
        return () => true;
      case "-maxdepth":
        this.#mostDepth = Number(value());
        return () => true;
      case "-mindepth":
        this.#leastDepth = Number(value());
        return () => true;
      case "-mount":
      case "-xdev":
      case "-noleaf":
      case "-ignore_readdir_race":
      case "-daystart":
      case "-follow":
        return () => true;
      case "-regextype":
        this.#regexes = /extended|egrep|awk|gnu-awk/.test(value()) ? "extended" : "basic";
        return () => true;
      case "-name":
      case "-iname": {
        const pattern = glob(word === "-iname" ? "i" : "");
        return (entry) => pattern.test(nameOf(entry));
      }
      case "-path":
      case "-wholename":
      case "-ipath":
      case "-iwholename": {
        const pattern = glob(word.startsWith("-i") ? "i" : "");
        return ({ path }) => pattern.test(path);
      }
      case "-lname": {
        const pattern = glob("");
        return ({ node }) => node.kind === "link" && pattern.test(node.target);
      }
      case "-regex":
      case "-iregex": {
        const whole = (pattern: string) => `^(?:${pattern})$`;
        const matcher = compile(value(), this.#regexes, word === "-iregex" ? "I" : "", whole);
        return ({ path }) => {
          matcher.lastIndex = 0;
          return matcher.exec(path) !== null;
        };
      }
      default:
        return factTest(word, () => this.#next(word), this.#around) ?? this.#action(word);
    }
  }

  #action(word: string): Test {
    const zone = this.#around.env.TZ || "UTC";
    const file = () => resolvePath(this.#around.cwd, this.#next(word));
    const printing = (text: (entry: Entry) => string, path?: string): Test => {
      this.#acts = true;
      return (entry, run) => {
        run.print(text(entry), path);
        return true;
      };
    };
    switch (word) {
      case "-print":
        return printing(({ path }) => `${path}\n`);
      case "-print0":
        return printing(({ path }) => `${path}\0`);
      case "-fprint": {
        const path = file();
        return printing((entry) => `${entry.path}\n`, path);
      }
      case "-fprint0": {
        const path = file();
        return printing((entry) => `${entry.path}\0`, path);
      }
      case "-printf": {
        const format = this.#next(word);
        return printing((entry) => printed(format, entry, zone));
      }
      case "-fprintf": {
        const path = file();
        const format = this.#next(word);
        return printing((entry) => printed(format, entry, zone), path);
      }
      case "-ls":
        return printing((entry) => listed(entry, zone));
      case "-prune":
        return (_entry, run) => {
          run.prune();
          return true;
        };
      case "-quit":
        this.#acts = true;
        return (_entry, run) => {
          run.quit();
          return true;
        };
      case "-delete":
        this.#acts = true;
        this.#order = "after";
        return (entry, run) => run.delete(entry);
      case "-exec":
      case "-execdir":
      case "-ok":
      case "-okdir":
        return this.#command(word);
      default:
        throw new FindError(
          word.startsWith("-") ? `unknown predicate \`${word}'` : `paths must precede expression: \`${word}'`,
        );
    }
  }

  #command(word: string): Test {
    this.#acts = true;
    const words: string[] = [];
    for (let next = this.#next(word); next !== ";"; next = this.#next(word)) {
      if (next === "+" && words.at(-1) === "{}") {
        const command = words.slice(0, -1);
        return (entry, run) => {
          run.collect(command, entry.path);
          return true;
        };
      }
      words.push(next);
    }
    const where = word.endsWith("dir") ? "there" : "here";
    return (entry, run) => run.execute(words, entry, where);
  }
}

function both(left: Test, right: Test): Test {
  return async (entry, run) => (await left(entry, run)) && (await right(entry, run));
}
