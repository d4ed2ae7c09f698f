/** Owns the reading of `allowed-tools` in all its public forms. Never decides what a tool may do. */
import { isMapping, toJsonText, type YamlValue } from "./yaml-value.ts";

/** The tools a skill names, in the order of the file. */
export interface AllowedTools {
  readonly names: readonly string[];
  /** Which form it has instead of names separated by blanks; null for that one. */
  readonly oddForm: string | null;
}

/** Reads the field: blanks and commas separate, except inside parentheses; elements of a list are taken one by one. */
export function readAllowedTools(value: YamlValue | undefined): AllowedTools {
  if (value === undefined || value === "") {
    return { names: [], oddForm: null };
  }
  if (isMapping(value)) {
    return { names: [], oddForm: "is a mapping, not a text; it names no tool" };
  }
  if (typeof value !== "string") {
    const names = value.map((item) => (typeof item === "string" ? item.trim() : toJsonText(item)));
    return { names: names.filter((name) => name !== ""), oddForm: "is a list" };
  }
  const { names, commas } = splitNames(value);
  if (commas) {
    return { names, oddForm: "is separated by commas" };
  }
  return { names, oddForm: names.includes("*") ? 'is "*", which means every tool' : null };
}

function splitNames(text: string): { names: string[]; commas: boolean } {
  const names: string[] = [];
  let commas = false;
  let depth = 0;
  let start = 0;
  const take = (end: number) => {
    if (end > start) {
      names.push(text.slice(start, end));
    }
    start = end + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? "";
    if (sign === "(") {
      depth++;
    } else if (sign === ")") {
      depth = Math.max(0, depth - 1);
    } else if (depth === 0 && (sign === "," || /\s/.test(sign))) {
      commas ||= sign === ",";
      take(at);
    }
  }
  take(text.length);
  return { names, commas };
}
