/** Owns reading the words of `find` into a test that places pass or not; never walking the tree. */
import { fullMode, sizeOf } from "../../../files/inode.ts";
import { resolvePath } from "../../../files/paths.ts";
import { compile } from "../../sed/expression.ts";
import { readDate } from "../date-words.ts";
import { globOf } from "../glob.ts";
import type { Surroundings } from "../tool.ts";
import { type Entry, KINDS, listed, nameOf, printed } from "./entry.ts";
import { counted, FindError, permissions } from "./numbers.ts";

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

const SIZES: Readonly<Record<string, number>> = { c: 1, w: 2, b: 512, k: 1024, M: 1 << 20, G: 1 << 30 };
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

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
        return this.#facts(word);
    }
  }

  #facts(word: string): Test {
    const value = () => this.#next(word);
    switch (word) {
      case "-type":
      case "-xtype": {
        const kinds = value().split(",");
        const unknown = kinds.find((kind) => !/^[bcdpflsD]$/.test(kind));
        if (unknown !== undefined) {
          throw new FindError(`Unknown argument to ${word}: ${unknown}`);
        }
        return ({ node }) => kinds.includes(KINDS[node.kind]);
      }
      case "-empty":
        return ({ node }) => (node.kind === "dir" ? node.entries.size === 0 : node.kind === "file" && node.size === 0);
      case "-size": {
        const given = value();
        const [, number = "", unit = "b"] = /^([-+]?\d+)([cwbkMG]?)$/.exec(given) ?? [];
        if (number === "") {
          throw new FindError(`invalid -size type \`${given}'`);
        }
        const size = SIZES[unit || "b"] ?? 512;
        const fits = counted(number);
        return ({ node }) => fits(Math.ceil(sizeOf(node) / size));
      }
      case "-mtime":
      case "-atime":
      case "-ctime":
        return this.#age(value(), DAY_MS);
      case "-mmin":
      case "-amin":
      case "-cmin":
        return this.#age(value(), MINUTE_MS);
      case "-links": {
        const fits = counted(value());
        return ({ node }) => fits(node.kind === "file" ? node.links : node.kind === "dir" ? 2 : 1);
      }
      case "-inum": {
        const fits = counted(value());
        return ({ node }) => fits(node.ino);
      }
      case "-user":
      case "-group": {
        const name = value();
        return () => name === "agent" || name === "1000";
      }
      case "-uid":
      case "-gid": {
        const fits = counted(value());
        return () => fits(1000);
      }
      case "-nouser":
      case "-nogroup":
        return () => false;
      case "-perm":
        return permissions(value());
      case "-executable":
        return ({ node }) => node.kind === "dir" || (fullMode(node) & 0o111) !== 0;
      case "-readable":
      case "-writable":
        return () => true;
      case "-samefile": {
        const { ino } = this.#around.files.find(resolvePath(this.#around.cwd, value()));
        return ({ node }) => node.ino === ino;
      }
      default:
        return this.#newer(word) ?? this.#action(word);
    }
  }

  #age(given: string, unit: number): Test {
    const fits = counted(given);
    return ({ node }, { now }) => fits(Math.floor((now - node.mtime) / unit));
  }

  #newer(word: string): Test | null {
    const [, kind] = /^-(?:newer|[ac]newer|newer[amcB]([amcBt]))$/.exec(word) ?? [null, undefined];
    if (!/^-(?:[ac]?newer|newer[amcB][amcBt])$/.test(word)) {
      return null;
    }
    const given = this.#next(word);
    const { cwd, files, env } = this.#around;
    const limit =
      kind === "t" ? readDate(given, Date.now(), env.TZ || "UTC") : files.find(resolvePath(cwd, given)).mtime;
    if (limit === null) {
      throw new FindError(`I cannot figure out how to interpret \`${given}' as a date or time`);
    }
    return ({ node }) => node.mtime > limit;
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
