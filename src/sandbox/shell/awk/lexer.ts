/** Owns cutting an awk program into tokens; never what they mean together. */

export interface Token {
  readonly kind: "number" | "string" | "regex" | "name" | "call" | "keyword" | "builtin" | "op" | "newline" | "end";
  readonly text: string;
}

/** What stops an awk program before it runs or while it does. */
export class AwkError extends Error {
  override readonly name = "AwkError";
}

const KEYWORDS = new Set(
  "BEGIN END function func if else while for do break continue next nextfile exit return delete in getline print printf".split(
    " ",
  ),
);
const BUILTINS = new Set(
  (
    "length substr index split sub gsub match sprintf sin cos atan2 exp log sqrt int rand srand tolower toupper system " +
    "close fflush gensub strftime systime mktime asort asorti and or xor lshift rshift compl strtonum"
  ).split(" "),
);
const OPERATORS =
  /^(?:\*\*=|\*\*|&&|\|\||\|&|>>|\+\+|--|\+=|-=|\*=|\/=|%=|\^=|==|<=|>=|!=|!~|[{}()[\];,+\-*/%^!<>|?:~$=])/;

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  f: "\f",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "/": "/",
};

/** A text with awk's escapes read. */
export function readEscapes(text: string): string {
  return text.replace(/\\(?:([0-7]{1,3})|([\s\S]))/g, (whole, octal?: string, letter?: string) => {
    if (octal !== undefined) {
      return String.fromCharCode(Number.parseInt(octal, 8));
    }
    return letter === "\n" ? "" : (ESCAPES[letter ?? ""] ?? whole);
  });
}

/** The tokens of a program. A slash begins a regular expression where no value can stand before it. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const push = (kind: Token["kind"], text: string, length: number) => {
    tokens.push({ kind, text });
    at += length;
  };
  while (at < source.length) {
    const rest = source.slice(at, at + 1) === '"' || source[at] === "/" ? source.slice(at) : source.slice(at, at + 256);
    const space = /^(?:[ \t\r]+|\\\r?\n|#[^\n]*)/.exec(rest);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    if (rest[0] === "\n") {
      push("newline", "\n", 1);
      continue;
    }
    const string = /^"((?:[^"\\\n]|\\[\s\S])*)"/.exec(rest);
    if (string !== null) {
      push("string", readEscapes(string[1] ?? ""), string[0].length);
      continue;
    }
    const regex = endsValue(tokens.at(-1))
      ? null
      : /^\/((?:[^/\\\n[]|\\.|\[\^?\]?(?:[^\]\\\n]|\\.|\[:\w+:\])*\])*)\//.exec(rest);
    if (regex !== null) {
      push("regex", (regex[1] ?? "").replaceAll("\\/", "/"), regex[0].length);
      continue;
    }
    const number = /^(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)/.exec(rest);
    if (number !== null) {
      push("number", number[0], number[0].length);
      continue;
    }
    const name = /^[A-Za-z_]\w*/.exec(rest)?.[0];
    if (name !== undefined) {
      const isCall = source[at + name.length] === "(";
      push(
        KEYWORDS.has(name) ? "keyword" : BUILTINS.has(name) ? "builtin" : isCall ? "call" : "name",
        name,
        name.length,
      );
      continue;
    }
    const operator = OPERATORS.exec(rest)?.[0];
    if (operator === undefined) {
      throw new AwkError(`syntax error at or near ${rest.slice(0, 10).split("\n")[0]}`);
    }
    push("op", operator === "**" ? "^" : operator === "**=" ? "^=" : operator, operator.length);
  }
  tokens.push({ kind: "newline", text: "\n" }, { kind: "end", text: "end of program" });
  return tokens;
}

function endsValue(token: Token | undefined): boolean {
  if (token === undefined) {
    return false;
  }
  return (
    ["number", "string", "regex", "name", "builtin"].includes(token.kind) ||
    (token.kind === "op" && [")", "]", "$", "++", "--"].includes(token.text))
  );
}
