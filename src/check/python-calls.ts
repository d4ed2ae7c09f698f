/** Owns reading calls in Python source whose arguments are literals: strings, numbers, lists. Never runs or judges the script. */

/** What an argument says, as far as it can be read without running anything. */
export type PythonValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "list"; readonly items: readonly PythonValue[] }
  /** A name, dotted too: `True`, `int`, `argparse.SUPPRESS`. */
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "unread" };

/** A call. */
export interface PythonCall {
  readonly positional: readonly PythonValue[];
  readonly named: ReadonlyMap<string, PythonValue>;
  /** True when arguments come from a variable: `*names`, `**options`. */
  readonly isOpen: boolean;
}

type Token =
  | { readonly kind: "text"; readonly text: string | null }
  | { readonly kind: "name" | "number" | "sign"; readonly text: string };

const UNREAD: PythonValue = { kind: "unread" };
const SPACE = /(?:[ \t\f\r\n]|\\\r?\n|#[^\n]*)+/y;
const TEXT = /([A-Za-z]{0,2})("""|'''|"|')/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /(?:0[xX][\da-fA-F_]+|[\d][\d_]*(?:\.[\d_]*)?(?:[eE][+-]?\d+)?|\.\d[\d_]*)/y;
const OPERATOR = /\*\*|==|[\s\S]/uy;
/** How deep brackets may lie in each other before nothing is read any more. */
const MAX_DEPTH = 16;
/** More calls than a script has options; each is read to its end, also when they lie in each other. */
const MAX_CALLS = 300;

/** Reads the calls of methods and functions with the given names, in order; null when there are too many to be read in time. */
export function pythonCalls(source: string, names: ReadonlySet<string>): { name: string; call: PythonCall }[] | null {
  const tokens = tokensOf(source);
  const places = tokens.flatMap(({ kind, text }, at) => {
    const isCall = kind === "name" && names.has(text) && isSign(tokens[at + 1], "(");
    return isCall && tokens[at - 1]?.text !== "def" ? [{ name: text, at: at + 2 }] : [];
  });
  return places.length > MAX_CALLS
    ? null
    : places.map(({ name, at }) => ({ name, call: new CallReader(tokens, at).read() }));
}

function isSign(token: Token | undefined, sign: string): boolean {
  return token?.kind === "sign" && token.text === sign;
}

class CallReader {
  readonly #tokens: readonly Token[];
  #at: number;

  constructor(tokens: readonly Token[], at: number) {
    this.#tokens = tokens;
    this.#at = at;
  }

  /** Reads arguments up to the closing bracket. */
  read(): PythonCall {
    const positional: PythonValue[] = [];
    const named = new Map<string, PythonValue>();
    let isOpen = false;
    while (this.#at < this.#tokens.length && !isSign(this.#tokens[this.#at], ")")) {
      const token = this.#tokens[this.#at];
      if (isSign(token, "*") || isSign(token, "**")) {
        isOpen = true;
        this.#skip();
      } else if (token?.kind === "name" && isSign(this.#tokens[this.#at + 1], "=")) {
        this.#at += 2;
        named.set(token.text, this.#value(0));
      } else {
        positional.push(this.#value(0));
      }
      if (!isSign(this.#tokens[this.#at], ",")) {
        break;
      }
      this.#at++;
    }
    return { positional, named, isOpen };
  }

  /** Reads an expression up to the comma or bracket behind it. */
  #value(depth: number): PythonValue {
    const value = this.#primary(depth);
    return this.#skip() ? UNREAD : value;
  }

  #primary(depth: number): PythonValue {
    const token = this.#tokens[this.#at];
    if (token?.kind === "text") {
      return this.#texts();
    }
    if (token?.kind === "name") {
      return this.#name();
    }
    const sign = isSign(token, "-") ? -1 : 1;
    const number = sign < 0 ? this.#tokens[this.#at + 1] : token;
    if (number?.kind === "number") {
      this.#at += sign < 0 ? 2 : 1;
      return { kind: "number", value: sign * Number(number.text.replaceAll("_", "")) };
    }
    if ((isSign(token, "[") || isSign(token, "(") || isSign(token, "{")) && depth < MAX_DEPTH) {
      return this.#list(depth);
    }
    return UNREAD;
  }

  /** Texts that stand next to each other are one. */
  #texts(): PythonValue {
    let text: string | null = "";
    for (let token = this.#tokens[this.#at]; token?.kind === "text"; token = this.#tokens[++this.#at]) {
      text = text === null || token.text === null ? null : text + token.text;
    }
    return text === null ? UNREAD : { kind: "text", text };
  }

  #name(): PythonValue {
    let name = this.#tokens[this.#at++]?.text ?? "";
    while (isSign(this.#tokens[this.#at], ".") && this.#tokens[this.#at + 1]?.kind === "name") {
      name += `.${this.#tokens[this.#at + 1]?.text}`;
      this.#at += 2;
    }
    return { kind: "name", name };
  }

  /** A list, tuple or set; one text in brackets is that text. A mapping is not read. */
  #list(depth: number): PythonValue {
    const opening = this.#tokens[this.#at++]?.text;
    const items: PythonValue[] = [];
    let isTuple = opening !== "(";
    while (this.#at < this.#tokens.length && !this.#isClosing()) {
      items.push(this.#value(depth + 1));
      if (!isSign(this.#tokens[this.#at], ",")) {
        break;
      }
      isTuple = true;
      this.#at++;
    }
    if (!this.#isClosing()) {
      return UNREAD;
    }
    this.#at++;
    const [only] = items;
    return isTuple || only === undefined ? { kind: "list", items } : only;
  }

  #isClosing(): boolean {
    return [")", "]", "}"].some((sign) => isSign(this.#tokens[this.#at], sign));
  }

  /** Goes on to the comma or bracket that ends an argument; tells whether anything stood before it. */
  #skip(): boolean {
    const start = this.#at;
    let depth = 0;
    for (; this.#at < this.#tokens.length; this.#at++) {
      const token = this.#tokens[this.#at];
      if (token?.kind === "sign" && "([{".includes(token.text)) {
        depth++;
      } else if (this.#isClosing()) {
        if (depth-- === 0) {
          break;
        }
      } else if (depth === 0 && isSign(token, ",")) {
        break;
      }
    }
    return this.#at > start;
  }
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    at = found ? pattern.lastIndex : at;
    return found;
  };
  while (at < source.length) {
    if (take(SPACE)) {
      continue;
    }
    const opening = take(TEXT);
    if (opening) {
      const { text, end } = readText(source, at, (opening[1] ?? "").toLowerCase(), opening[2] ?? "");
      tokens.push({ kind: "text", text });
      at = end;
      continue;
    }
    const name = take(NAME);
    const number = name ? null : take(NUMBER);
    const text = (name ?? number ?? take(OPERATOR))?.[0] ?? "";
    tokens.push({ kind: name ? "name" : number ? "number" : "sign", text });
  }
  return tokens;
}

/** The text up to its closing quote; null when it is put together when the script runs, or is bytes. */
function readText(source: string, start: number, prefix: string, quote: string): { text: string | null; end: number } {
  let end = start;
  while (end < source.length && !source.startsWith(quote, end)) {
    if (quote.length === 1 && source[end] === "\n") {
      return { text: null, end };
    }
    end += source[end] === "\\" ? 2 : 1;
  }
  const raw = source.slice(start, Math.min(end, source.length));
  const text = /[fb]/.test(prefix) ? null : prefix.includes("r") ? raw : unescaped(raw);
  return { text, end: Math.min(end + quote.length, source.length) };
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unescaped(raw: string): string {
  return raw.replace(/\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g, (_, long, short, sign) => {
    const code = long ?? short;
    return code === undefined ? (ESCAPES[sign] ?? sign) : String.fromCharCode(Number.parseInt(code, 16));
  });
}
