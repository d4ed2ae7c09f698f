/** Owns finding the links and images of a Markdown text, outside of code. Never looks where they lead. Linear in the text, whatever it holds. */

/** A link or image. */
export interface MarkdownLink {
  /** As written, without angle brackets, backslash escapes undone. */
  readonly target: string;
  /** Counted from 1, in the text given. */
  readonly line: number;
  /** Counted from 1, in code points. */
  readonly column: number;
}

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)]|>)[ \t]+)*(`{3,}|~{3,})(.*)$/s;
const DEFINITION = /^ {0,3}\[(?!\^)(?:[^\\[\]]|\\.)+\]:[ \t]*(?=\S)/;

/** What is looked at in a paragraph; all else is text. */
const SIGN = /[\n\\`[\]]/g;

/** How deep brackets within a target may lie, as in CommonMark. */
const MAX_PARENTHESES = 32;

/** All links of a Markdown text, in their order. */
export function markdownLinks(text: string): MarkdownLink[] {
  const links: MarkdownLink[] = [];
  if (!mayHoldLink(text)) {
    return links;
  }
  let paragraph: string[] = [];
  let paragraphLine = 1;
  let fence: string | null = null;
  const lines = text.split("\n");
  const flush = (nextLine: number) => {
    if (paragraph.some(mayHoldLink)) {
      for (const link of paragraphLinks(paragraph.join("\n"), paragraphLine)) {
        links.push(link);
      }
    }
    paragraph = [];
    paragraphLine = nextLine;
  };

  const uncomment = commentBlanker();
  lines.forEach((raw, index) => {
    const line = fence === null ? uncomment(raw) : raw;
    const marker = FENCE.exec(line);
    if (fence !== null) {
      if (marker && closes(marker, fence)) {
        fence = null;
        paragraphLine = index + 2;
      }
    } else if (marker?.[1] && !(marker[1].startsWith("`") && marker[2]?.includes("`"))) {
      flush(index + 2);
      fence = marker[1];
    } else if (line.trim() === "") {
      flush(index + 2);
    } else {
      paragraph.push(line);
    }
  });
  flush(lines.length);
  return links;
}

/** A link has its target behind the closing bracket, without anything between. */
function mayHoldLink(text: string): boolean {
  return text.includes("](") || text.includes("]:");
}

/** Puts blanks in place of HTML comments, line by line; what stands in one is not shown and leads nowhere. */
function commentBlanker(): (line: string) => string {
  let inside = false;
  return (line) => {
    let shown = "";
    let at = 0;
    while (at < line.length) {
      const edge = line.indexOf(inside ? "-->" : "<!--", at);
      // Back quotes before it: it may be an example in a code span, and is left alone.
      if (edge < 0 || (!inside && line.slice(at, edge).includes("`"))) {
        return shown + (inside ? " ".repeat(line.length - at) : line.slice(at));
      }
      const end = inside ? edge + 3 : edge;
      shown += inside ? " ".repeat(end - at) : line.slice(at, end);
      at = end;
      inside = !inside;
    }
    return shown;
  };
}

function closes(marker: RegExpExecArray, fence: string): boolean {
  return (marker[1] ?? "").startsWith(fence) && (marker[2] ?? "").trim() === "";
}

/** The links of one run of lines without a blank one, which is as far as a code span reaches. */
function paragraphLinks(text: string, firstLine: number): MarkdownLink[] {
  const links: MarkdownLink[] = [];
  const place = placer(text, firstLine);
  const spans = codeSpanEnds(text);
  let brackets = 0;
  let lineStart = true;

  for (let at = 0; at < text.length; at++) {
    if (!lineStart) {
      SIGN.lastIndex = at;
      at = SIGN.exec(text)?.index ?? text.length;
    } else {
      lineStart = false;
      const lineEnd = text.indexOf("\n", at);
      const line = text.slice(at, lineEnd < 0 ? text.length : lineEnd);
      const target = definitionTarget(line);
      if (target !== null) {
        links.push({ target, ...place(at) });
        at += line.length;
        lineStart = true;
        continue;
      }
    }
    const sign = text[at];
    if (sign === "\n") {
      lineStart = true;
    } else if (sign === "\\") {
      at++;
      lineStart = text[at] === "\n";
    } else if (sign === "`") {
      at = (spans.get(at) ?? runEnd(text, at)) - 1;
    } else if (sign === "[") {
      brackets++;
    } else if (sign === "]" && brackets > 0) {
      brackets--;
      const target = text[at + 1] === "(" ? readTarget(text, at + 2, ")") : null;
      if (target !== null) {
        links.push({ target, ...place(at + 2) });
      }
    }
  }
  return links;
}

/** Where each run of back quotes that opens a code span ends; runs without a partner of their length open none. */
function codeSpanEnds(text: string): Map<number, number> {
  const ends = new Map<number, number>();
  const starts = new Map<number, number[]>();
  for (let at = text.indexOf("`"); at >= 0; ) {
    const end = runEnd(text, at);
    const length = end - at;
    for (const start of starts.get(length) ?? []) {
      ends.set(start, end);
    }
    starts.set(length, [at]);
    at = text.indexOf("`", end);
  }
  return ends;
}

function runEnd(text: string, start: number): number {
  let end = start;
  while (text[end] === "`") {
    end++;
  }
  return end;
}

function definitionTarget(line: string): string | null {
  const head = DEFINITION.exec(line);
  return head ? readTarget(line, head[0].length, "end") : null;
}

/** The target that begins at `start`, if what follows it is a title or nothing, up to `)` or the end of the line. */
function readTarget(text: string, start: number, closing: ")" | "end"): string | null {
  let at = skipBlanks(text, start);
  const angled = text[at] === "<";
  const from = angled ? at + 1 : at;
  const end = angled ? angledEnd(text, from) : plainEnd(text, from);
  if (end === null || (end === from && !angled)) {
    return null;
  }
  at = angled ? end + 1 : end;
  const gap = skipBlanks(text, at);
  const titleEnd = gap > at ? skipTitle(text, gap) : gap;
  const rest = skipBlanks(text, titleEnd);
  const closed = closing === ")" ? text[rest] === ")" : rest >= text.length;
  return closed ? unescapeTarget(text.slice(from, end)) : null;
}

function angledEnd(text: string, start: number): number | null {
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === ">") {
      return at;
    }
    if (sign === "<" || sign === "\n") {
      return null;
    }
    at += sign === "\\" ? 1 : 0;
  }
  return null;
}

function plainEnd(text: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign <= " ") {
      return depth === 0 ? at : null;
    }
    if (sign === "\\") {
      at++;
    } else if (sign === "(" && ++depth > MAX_PARENTHESES) {
      return null;
    } else if (sign === ")" && --depth < 0) {
      return at;
    }
  }
  return depth === 0 ? text.length : null;
}

/** The end of a title that begins at `at`; `at` itself when none does. */
function skipTitle(text: string, at: number): number {
  const opening = text[at];
  const closing = opening === '"' || opening === "'" ? opening : opening === "(" ? ")" : null;
  if (closing === null) {
    return at;
  }
  for (let end = at + 1; end < text.length; end++) {
    if (text[end] === closing) {
      return end + 1;
    }
    if (text[end] === "\\") {
      end++;
    } else if (text[end] === "(" && opening === "(") {
      return at;
    }
  }
  return at;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (text[at] === " " || text[at] === "\t" || text[at] === "\n") {
    at++;
  }
  return at;
}

function unescapeTarget(target: string): string {
  return target.replace(/\\([!-/:-@[-`{-~])/g, "$1").replaceAll("&amp;", "&");
}

/** Line and column of offsets that only grow, without counting from the start again. */
function placer(text: string, firstLine: number): (offset: number) => { line: number; column: number } {
  let line = firstLine;
  let column = 1;
  let done = 0;
  return (offset) => {
    for (const sign of text.slice(done, offset)) {
      column++;
      if (sign === "\n") {
        line++;
        column = 1;
      }
    }
    done = offset;
    return { line, column };
  };
}
