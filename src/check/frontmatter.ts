/** Owns the place of the frontmatter in SKILL.md: the delimiter lines around it. Never reads YAML. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";

/** SKILL.md taken apart. */
export interface Frontmatter {
  /** The lines between the delimiters, each with its `\n`. */
  readonly yaml: string;
  /** Line of the file on which `yaml` begins, counted from 1. */
  readonly yamlLine: number;
  /** Everything after the closing delimiter line. */
  readonly body: string;
  /** Line of the file on which `body` begins. */
  readonly bodyLine: number;
}

/** The parts of a SKILL.md, null when there is no frontmatter, and what was odd about its place. */
export interface FrontmatterSplit {
  readonly parts: Frontmatter | null;
  readonly diagnostics: readonly Diagnostic[];
}

const HINT = "begin the file with a line `---`, then `name:` and `description:`, then a line `---`";

/** Takes a SKILL.md apart. The first line that is not blank must be `---`; the next such line closes, wherever it stands. */
export function splitFrontmatter(text: string, file: string): FrontmatterSplit {
  let start = 0;
  let line = 1;
  while (start < text.length && isBlank(lineAt(text, start))) {
    start = nextLine(text, start);
    line++;
  }
  const diagnostics: Diagnostic[] = [];
  const opening = lineAt(text, start);
  if (!isDelimiter(opening)) {
    const message = start >= text.length ? `${file} is empty` : `${file} begins with ${quote(opening)}, not with "---"`;
    diagnostics.push(
      diagnostic("frontmatter-missing", message, { file, line: Math.max(1, line), column: 1, hint: HINT }),
    );
    return { parts: null, diagnostics };
  }
  if (line > 1) {
    diagnostics.push(
      diagnostic("leading-blank", `Blank lines stand before the frontmatter`, {
        file,
        line: 1,
        hint: "begin the file with `---`",
      }),
    );
  }
  const parts = readParts(text, nextLine(text, start), line + 1);
  if (parts === null) {
    const message = `The frontmatter that opens on line ${line} is never closed`;
    diagnostics.push(
      diagnostic("frontmatter-unclosed", message, { file, line, column: 1, hint: "close it with a line `---`" }),
    );
  }
  return { parts, diagnostics };
}

function readParts(text: string, yamlStart: number, yamlLine: number): Frontmatter | null {
  let line = yamlLine;
  for (let at = yamlStart; at < text.length; at = nextLine(text, at)) {
    if (isDelimiter(lineAt(text, at))) {
      return {
        yaml: text.slice(yamlStart, at),
        yamlLine,
        body: text.slice(nextLine(text, at)),
        bodyLine: line + 1,
      };
    }
    line++;
  }
  return null;
}

function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

function nextLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end + 1;
}

function isDelimiter(line: string): boolean {
  return /^---[ \t]*$/.test(line);
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

function quote(line: string): string {
  const shown = line.length > 40 ? `${[...line].slice(0, 40).join("")}…` : line;
  return JSON.stringify(shown);
}
