/** Owns what the `.gitignore` files inside the roots ignore. Never reads one above a root. */
import { dirname, relative, sep } from "node:path";
import ignore, { type Ignore } from "ignore";
import { decodeText } from "../check/text.ts";
import { readRegularFile } from "./read-file.ts";
import type { Root } from "./roots.ts";

/** A `.gitignore` is a short list; what is longer is none. */
const MAX_BYTES = 256 * 1024;

// Git tells cases apart wherever the disk does, so that all machines ignore the same.
const OPTIONS = { ignorecase: false };

/** The rules that count in one directory: its own `.gitignore` and, behind it, those above. */
export class IgnoreRules {
  /** The directory these rules are for, relative to the root, empty or with `/` at its end. */
  readonly #base: string;
  readonly #own: Ignore | null;
  readonly #above: IgnoreRules | null;

  private constructor(base: string, own: Ignore | null, above: IgnoreRules | null) {
    this.#base = base;
    this.#own = own;
    this.#above = above;
  }

  /** The rules of a directory at `path` relative to the root; `real` is where its `.gitignore` may lie, null when it has none. */
  static enter(above: IgnoreRules | null, path: string, real: string | null): IgnoreRules {
    const own = real === null ? null : readRules(`${real}${sep}.gitignore`);
    const reopened = above === null || path === "" ? above : above.#reopen(`${path}/`);
    return own === null && reopened !== null ? reopened : new IgnoreRules(path === "" ? "" : `${path}/`, own, reopened);
  }

  /** Tells whether an entry is ignored; `path` is relative to the root, directories with `/` at the end. Directories above it must not be. */
  ignores(path: string): boolean {
    for (let rules: IgnoreRules | null = this; rules; rules = rules.#above) {
      const verdict = rules.#own?.test(path.slice(rules.#base.length));
      if (verdict?.ignored || verdict?.unignored) {
        return verdict.ignored;
      }
    }
    return false;
  }

  /**
   * These rules within a directory that is entered although some of them ignore it, since rules further down count more. Git asks what lies
   * in it on its own; the library would take it for ignored with its directory.
   */
  #reopen(directory: string): IgnoreRules {
    const above = this.#above === null ? null : this.#above.#reopen(directory);
    const path = directory.slice(this.#base.length);
    if (this.#own?.test(path).ignored) {
      const escaped = path.replace(/[\\*?[\] ]/g, "\\$&");
      return new IgnoreRules(this.#base, ignore(OPTIONS).add(this.#own).add(`!/${escaped}`), above);
    }
    return above === this.#above ? this : new IgnoreRules(this.#base, this.#own, above);
  }
}

/** What a path ends in where rules are asked: only a directory has a `/`. */
export type PathEnding = "/" | "";

/** The rules that count for real paths, whatever link led there. */
export class RealIgnoreRules {
  readonly #known = new Map<string, IgnoreRules>();

  /** The rules of a real directory below a root. */
  rulesOf(root: Root, real: string): IgnoreRules {
    const known = this.#known.get(real);
    if (known) {
      return known;
    }
    const above = real === root.real ? null : this.rulesOf(root, dirname(real));
    const rules = IgnoreRules.enter(above, slashed(relative(root.real, real)), real);
    this.#known.set(real, rules);
    return rules;
  }

  /** Tells whether a real path, or a directory on the way to it, is ignored; `ending` is that of directories or of files. */
  ignores(root: Root, real: string, ending: PathEnding): boolean {
    if (real === root.real) {
      return false;
    }
    const parent = dirname(real);
    if (this.ignores(root, parent, "/")) {
      return true;
    }
    return this.rulesOf(root, parent).ignores(slashed(relative(root.real, real)) + ending);
  }
}

/** A path of this system with `/`. */
export function slashed(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/");
}

function readRules(path: string): Ignore | null {
  try {
    const reading = readRegularFile(path, MAX_BYTES);
    const text = "bytes" in reading ? decodeText(reading.bytes) : null;
    return text === null ? null : ignore(OPTIONS).add(text.replace(/^\ufeff/, ""));
  } catch {
    return null;
  }
}
