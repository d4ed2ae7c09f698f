/** Owns what Python and JavaScript sources look like without their strings and comments. Never judges what is left. */

interface Syntax {
  /** Begins a comment that ends with the line. */
  readonly lineComment: string;
  /** Begins a comment that ends with `*` and `/`; null when there is none. */
  readonly blockComment: string | null;
  /** Opening signs of texts, longest first; those in `multiline` may hold line breaks. */
  readonly quotes: readonly string[];
  readonly multiline: ReadonlySet<string>;
}

/** Python's comments and texts. */
export const PYTHON_SYNTAX: Syntax = {
  lineComment: "#",
  blockComment: null,
  quotes: ['"""', "'''", '"', "'"],
  multiline: new Set(['"""', "'''"]),
};

/** JavaScript's comments and texts. Regular expressions are not told from divisions; a quote in one costs the rest of its line. */
export const JAVASCRIPT_SYNTAX: Syntax = {
  lineComment: "//",
  blockComment: "/*",
  quotes: ['"', "'", "`"],
  multiline: new Set(["`"]),
};

/** A source in which comments and texts of several lines are blanks. Lines keep their numbers; texts within one line stay. */
export function withoutCommentsAndBlocks(source: string, syntax: Syntax): string {
  let out = "";
  let kept = 0;
  let at = 0;
  const drop = (end: number) => {
    out += source.slice(kept, at) + source.slice(at, end).replace(/[^\n]/g, " ");
    kept = end;
    at = end;
  };
  while (at < source.length) {
    const sign = source[at] ?? "";
    if (sign === "\\") {
      at += 2;
    } else if (source.startsWith(syntax.lineComment, at)) {
      drop(endOf(source, "\n", at));
    } else if (syntax.blockComment && source.startsWith(syntax.blockComment, at)) {
      const end = source.indexOf("*/", at + 2);
      drop(end < 0 ? source.length : end + 2);
    } else {
      const quote = syntax.quotes.find((opening) => source.startsWith(opening, at));
      if (quote === undefined) {
        at++;
      } else if (syntax.multiline.has(quote)) {
        drop(textEnd(source, at + quote.length, quote));
      } else {
        at = Math.min(textEnd(source, at + 1, quote), endOf(source, "\n", at));
      }
    }
  }
  return out + source.slice(kept);
}

function textEnd(source: string, start: number, quote: string): number {
  const single = quote.length === 1 && quote !== "`";
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") {
      at++;
    } else if (source.startsWith(quote, at)) {
      return at + quote.length;
    } else if (single && source[at] === "\n") {
      return at;
    }
  }
  return source.length;
}

function endOf(source: string, sign: string, start: number): number {
  const end = source.indexOf(sign, start);
  return end < 0 ? source.length : end;
}
