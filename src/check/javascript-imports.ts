/** Owns which modules a JavaScript or TypeScript file imports when it is loaded. Never resolves them. */
import { JAVASCRIPT_SYNTAX, withoutCommentsAndBlocks } from "./script-text.ts";

/** A module that a file asks for. */
export interface JavaScriptImport {
  /** As written. */
  readonly specifier: string;
  /** What it takes of the module by name; empty where it takes the module as a whole. */
  readonly names: readonly string[];
  /** Counted from 1. */
  readonly line: number;
}

// Only what begins a line: an import within a function is needed only when it is called. Lists of names end, so that this stays linear.
const STATIC = /^(?:import|export)(?!\s+type\b)\s*(?:[\w$*{},\s]{1,2000}?\bfrom\s*)?["']([^"'\n]+)["']/gm;
const REQUIRED = /^(?:(?:const|let|var)\s[^=\n]{1,1000}=\s*)?require\(\s*["']([^"'\n]+)["']\s*\)/gm;

/** The imports at the top of a file. */
export function javaScriptImports(source: string): JavaScriptImport[] {
  const code = withoutCommentsAndBlocks(source, JAVASCRIPT_SYNTAX);
  const found = [...code.matchAll(STATIC), ...code.matchAll(REQUIRED)].sort((a, b) => a.index - b.index);
  let line = 1;
  let done = 0;
  return found.map((match) => {
    for (let at = code.indexOf("\n", done); at >= 0 && at < match.index; at = code.indexOf("\n", at + 1)) {
      line++;
    }
    done = match.index;
    return { specifier: match[1] ?? "", names: namesIn(match[0]), line };
  });
}

/** The names between braces, as the module has them. */
function namesIn(statement: string): string[] {
  const list = /\{([^}]*)\}/.exec(statement)?.[1] ?? "";
  return list.split(",").flatMap((part) => /^\s*(?:type\s+)?([\w$]+)/.exec(part)?.[1] ?? []);
}

/** The package of a specifier: null for a file; a built-in module keeps its path behind `node:`. */
export function packageOf(specifier: string): string | null {
  if (/^[./#]/.test(specifier)) {
    return null;
  }
  if (specifier.startsWith("node:") || /^[a-z]+:/.test(specifier)) {
    return specifier;
  }
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
