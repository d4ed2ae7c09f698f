/** Owns reading object literals in JavaScript and TypeScript source without running it. Never judges what they say. */

/** What a literal says, as far as it can be read; `undefined` for the rest. */
export type LiteralValue = string | number | boolean | undefined | readonly LiteralValue[] | LiteralObject;

/** An object's entries; a key that cannot be read is left out, `isWhole` is false then. */
export interface LiteralObject {
  readonly entries: ReadonlyMap<string, LiteralValue>;
  readonly isWhole: boolean;
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const TEXT = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.|\$(?!\{))*`/y;
/** What a text that is not closed holds: gone over at once, for whoever looks at each of its signs looks at all of it each time. */
const UNCLOSED = /"(?:[^"\\\n]|\\.)*|'(?:[^'\\\n]|\\.)*|`(?:[^`\\$]|\\.|\$(?!\{))*/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const MAX_DEPTH = 8;
/** How many names may lead to further names. */
const MAX_NAMES = 20;

/** Tells whether a value is an object. */
export function isLiteralObject(value: LiteralValue): value is LiteralObject {
  return typeof value === "object" && "entries" in value && value.entries instanceof Map;
}

/** Reads the literal that begins at an offset, following names to the `const` that declares them. */
export function readLiteral(source: string, offset: number): LiteralValue {
  return new LiteralReader(source, { left: MAX_NAMES }).read(offset);
}

class LiteralReader {
  readonly #source: string;
  readonly #names: { left: number };
  #at = 0;

  constructor(source: string, names: { left: number }) {
    this.#source = source;
    this.#names = names;
  }

  read(offset: number): LiteralValue {
    this.#at = offset;
    return this.#value(0);
  }

  /** An expression up to the comma or bracket behind it. */
  #value(depth: number): LiteralValue {
    const value = this.#primary(depth);
    this.#space();
    // A type behind a value changes nothing.
    const isTyped = this.#take(/as\s+const\b|satisfies\b/y) !== null;
    return this.#skip() && !isTyped ? undefined : value;
  }

  #primary(depth: number): LiteralValue {
    this.#space();
    const text = this.#take(TEXT);
    if (text !== null) {
      return textOf(text);
    }
    const number = this.#take(NUMBER);
    if (number !== null) {
      return Number(number.replaceAll("_", ""));
    }
    const name = this.#take(NAME);
    if (name !== null) {
      return name === "true" || name === "false" ? name === "true" : this.#declared(name);
    }
    if (depth < MAX_DEPTH && this.#take(/\{/y) !== null) {
      return this.#object(depth);
    }
    return depth < MAX_DEPTH && this.#take(/\[/y) !== null ? this.#array(depth) : undefined;
  }

  #object(depth: number): LiteralObject {
    const entries = new Map<string, LiteralValue>();
    let isWhole = true;
    for (this.#space(); this.#at < this.#source.length && this.#take(/\}/y) === null; this.#space()) {
      if (this.#take(/\.\.\./y) !== null) {
        const spread = this.#value(depth + 1);
        isWhole &&= isLiteralObject(spread) && spread.isWhole;
        for (const [key, value] of isLiteralObject(spread) ? spread.entries : []) {
          entries.set(key, value);
        }
      } else {
        const text = this.#take(TEXT);
        const key = text === null ? (this.#take(NAME) ?? this.#take(NUMBER)) : textOf(text);
        this.#space();
        if (key !== null && this.#take(/:/y) !== null) {
          entries.set(key, this.#value(depth + 1));
        } else if (key !== null && /[,}]/y.test(this.#source[this.#at] ?? "")) {
          entries.set(key, this.#declared(key));
        } else {
          isWhole = false;
          this.#skip();
        }
      }
      this.#space();
      if (this.#take(/,/y) === null && this.#source[this.#at] !== "}") {
        return { entries, isWhole: false };
      }
    }
    return { entries, isWhole };
  }

  #array(depth: number): LiteralValue[] {
    const items: LiteralValue[] = [];
    for (this.#space(); this.#at < this.#source.length && this.#take(/\]/y) === null; this.#space()) {
      items.push(this.#value(depth + 1));
      if (this.#take(/,/y) === null && this.#source[this.#at] !== "]") {
        break;
      }
    }
    return items;
  }

  /** The value of a name, as the nearest `const` above declares it. */
  #declared(name: string): LiteralValue {
    if (this.#names.left-- <= 0) {
      return undefined;
    }
    const escaped = name.replaceAll("$", "\\$&");
    const declaration = new RegExp(`\\bconst\\s+${escaped}\\s*(?::[^=\\n]{1,300})?=(?!=)`, "g");
    const nearest = [...this.#source.slice(0, this.#at).matchAll(declaration)].at(-1);
    return nearest && new LiteralReader(this.#source, this.#names).read(nearest.index + nearest[0].length);
  }

  /** Goes on to the sign that ends an expression; tells whether anything stood before it. */
  #skip(): boolean {
    const start = this.#at;
    let depth = 0;
    while (this.#at < this.#source.length) {
      if ((this.#take(TEXT) ?? this.#take(SPACE) ?? this.#take(UNCLOSED)) !== null) {
        continue;
      }
      const sign = this.#source[this.#at] ?? "";
      if (depth === 0 && /[,;)\]}]/.test(sign)) {
        break;
      }
      depth += "([{".includes(sign) ? 1 : ")]}".includes(sign) ? -1 : 0;
      this.#at++;
    }
    return this.#at > start;
  }

  #space(): void {
    this.#take(SPACE);
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    this.#at = found ? pattern.lastIndex : this.#at;
    return found?.[0] ?? null;
  }
}

function textOf(literal: string): string {
  return literal.slice(1, -1).replace(/\\(?:u([\da-fA-F]{4})|(\n)|([\s\S]))/g, (_, code, line, sign) => {
    const named: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
    return code !== undefined ? String.fromCharCode(Number.parseInt(code, 16)) : line ? "" : (named[sign] ?? sign);
  });
}
