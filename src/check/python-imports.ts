/** Owns which modules a Python file needs before it can do anything. Never knows which modules there are. */
import { PYTHON_SYNTAX, withoutCommentsAndBlocks } from "./script-text.ts";

/** A module that a file imports when it is loaded. */
export interface PythonImport {
  /** The first part of its dotted name. */
  readonly module: string;
  /** The whole dotted name. */
  readonly name: string;
  /** Counted from 1. */
  readonly line: number;
}

interface Statement {
  readonly text: string;
  readonly indent: number;
  readonly line: number;
}

const GIVES_UP = /\b(?:sys\.exit|exit|quit|os\._exit|raise)\b/;

/**
 * The imports that run when the file is loaded: those at its top level, those in a `try` there whose handler gives up, and those under
 * `if __name__ == "__main__"`. What a function imports is needed only when it is called.
 */
export function pythonImports(source: string): PythonImport[] {
  const statements = logicalLines(withoutCommentsAndBlocks(source, PYTHON_SYNTAX));
  let needed = true;
  return statements.flatMap((statement, index) => {
    if (statement.indent === 0) {
      needed = opensNeededBlock(statements, index);
      return importsOf(statement);
    }
    return needed ? importsOf(statement) : [];
  });
}

/** Tells whether what stands indented below a top-level statement runs, and cannot be done without. */
function opensNeededBlock(statements: readonly Statement[], index: number): boolean {
  const text = statements[index]?.text ?? "";
  return /^if\s+__name__\s*==/.test(text) || (/^try\s*:/.test(text) && handlerGivesUp(statements, index));
}

function handlerGivesUp(statements: readonly Statement[], index: number): boolean {
  let inHandler = false;
  for (let at = index + 1; at < statements.length; at++) {
    const { text, indent } = statements[at] ?? { text: "", indent: 0 };
    if (indent === 0) {
      if (!/^(?:except|else|finally)\b/.test(text)) {
        return false;
      }
      inHandler = /^except\b/.test(text);
    }
    if (inHandler && GIVES_UP.test(text)) {
      return true;
    }
  }
  return false;
}

/** Statements, each as one line: continued by a backslash or within brackets. */
function logicalLines(source: string): Statement[] {
  const statements: Statement[] = [];
  let open: { parts: string[]; line: number; depth: number } | null = null;
  source.split("\n").forEach((line, index) => {
    if (open === null && line.trim() === "") {
      return;
    }
    open ??= { parts: [], line: index + 1, depth: 0 };
    const continued = line.trimEnd().endsWith("\\");
    open.parts.push(continued ? line.trimEnd().slice(0, -1) : line);
    open.depth = Math.max(0, open.depth + bracketBalance(line));
    if (!continued && open.depth === 0) {
      const text = open.parts.join(" ");
      statements.push({ text: text.trim(), indent: text.length - text.trimStart().length, line: open.line });
      open = null;
    }
  });
  return statements;
}

function bracketBalance(line: string): number {
  let balance = 0;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] ?? "";
    if (quote !== null) {
      at += sign === "\\" ? 1 : 0;
      quote = sign === quote ? null : quote;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
    } else {
      balance += "([{".includes(sign) ? 1 : ")]}".includes(sign) ? -1 : 0;
    }
  }
  return balance;
}

function importsOf({ text, line }: Statement): PythonImport[] {
  if (!text.includes("import")) {
    return [];
  }
  const names = text.split(";").flatMap((part) => {
    const plain = /^import\s+(.+)$/s.exec(part.trim());
    if (plain) {
      return (plain[1] ?? "").split(",").map((item) => item.trim().split(/\s/, 1)[0] ?? "");
    }
    const from = /^from\s+([\w.]+)\s+import\b/.exec(part.trim());
    return from ? [from[1] ?? ""] : [];
  });
  return names
    .filter((name) => /^[\p{L}_]/u.test(name))
    .map((name) => ({ name, module: name.split(".", 1)[0] ?? name, line }));
}
