/** Owns the way from a tool's `arguments` to a file script's words. Nothing is split, quoted, expanded or interpreted. Rules: cases/README.md, arguments.json. */
import { isTooDeep, MAX_DEPTH } from "./depth.ts";
import { SkillsError } from "./errors.ts";
import type { JsonObject, JsonValue } from "./record.ts";

/** How many words a script may get. */
export const MAX_ARGUMENT_WORDS = 1_024;

/** UTF-8 bytes of all words together; what Linux gives a single argument. */
export const MAX_ARGUMENT_BYTES = 131_072;

/**
 * What a property of a script's parameters may say beside JSON Schema: its flag stands once, before all its values (`--files a b`), not before
 * each of them. So argparse's `nargs` has it, where the last of several flags would count alone.
 */
export const ONE_FLAG = { "x-flag": "once" } as const;

/**
 * Turns the arguments of a call into the words after the script's name. Throws `arguments-invalid`.
 * `parameters` is the script's schema; only {@link ONE_FLAG} in it changes anything.
 */
export function argumentsToWords(value: JsonValue | undefined, parameters: JsonObject = {}): string[] {
  const words = wordsOf(argumentsIn(value), keysWithOneFlag(parameters));

  if (words.length > MAX_ARGUMENT_WORDS) {
    throw invalid(`there are ${words.length} words, at most ${MAX_ARGUMENT_WORDS} are taken`);
  }
  if (words.some((word) => word.includes("\0"))) {
    throw invalid("a word holds a NUL character");
  }
  const encoder = new TextEncoder();
  const bytes = words.reduce((sum, word) => sum + encoder.encode(word).byteLength, 0);
  if (bytes > MAX_ARGUMENT_BYTES) {
    throw invalid(`they are ${bytes} bytes long, at most ${MAX_ARGUMENT_BYTES} are taken`);
  }
  return words;
}

/** The arguments of a call, JSON text read as what it holds; null for none. Throws `arguments-invalid` for a text that holds none, and for what lies too deep. */
export function argumentsIn(value: JsonValue | undefined): JsonValue {
  const given = typeof value === "string" ? parseText(value) : (value ?? null);
  if (isTooDeep(given)) {
    throw invalid(`lists and objects lie more than ${MAX_DEPTH} deep in them`);
  }
  return given;
}

function invalid(problem: string): SkillsError {
  return new SkillsError(
    "arguments-invalid",
    `Cannot use arguments: ${problem}. Send an object of named arguments or an array of strings`,
  );
}

function parseText(text: string): JsonValue {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid("the text is not JSON");
  }
  if (value !== null && typeof value !== "object") {
    throw invalid(`the text holds a ${typeof value}`);
  }
  return value;
}

function wordsOf(value: JsonValue | undefined, once: ReadonlySet<string>): string[] {
  if (value === null || value === undefined) {
    return [];
  }
  if (isList(value)) {
    return value.map(positional);
  }
  if (typeof value !== "object") {
    throw invalid(`a ${typeof value} was sent`);
  }

  // A call takes only so many arguments, so long lists are not spread into one.
  const entries = Object.entries(value).map(([key, item]) =>
    (key === "_" || key === "args") && isList(item)
      ? { flags: [], positionals: item.map(positional) }
      : { flags: flagWords(flagOf(key), item, once.has(key) ? "once" : "each"), positionals: [] },
  );
  const positionals = entries.flatMap((entry) => entry.positionals);
  // What stands behind a flag of many values would be taken for one of them.
  const isOpen = positionals.length > 0 && Object.entries(value).some(([key, item]) => once.has(key) && isFull(item));
  return [...entries.flatMap(({ flags }) => flags), ...(isOpen ? ["--"] : []), ...positionals];
}

function keysWithOneFlag({ properties }: JsonObject): Set<string> {
  const isObject = typeof properties === "object" && properties !== null && !isList(properties);
  const entries = isObject ? Object.entries(properties) : [];
  return new Set(
    entries.flatMap(([key, schema]) => {
      const hint = typeof schema === "object" && schema !== null && !isList(schema) ? schema["x-flag"] : undefined;
      return hint === ONE_FLAG["x-flag"] ? [key] : [];
    }),
  );
}

function isFull(value: JsonValue): boolean {
  return isList(value) && value.some((item) => item !== null);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function positional(value: JsonValue): string {
  if (value === null || typeof value === "object") {
    throw invalid(`the array holds ${value === null ? "null" : isList(value) ? "an array" : "an object"}`);
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function flagOf(key: string): string {
  if (key === "" || key.startsWith("-") || /[\s=\0-\x1f\x7f-\x9f]/.test(key)) {
    throw invalid(`${JSON.stringify(key.slice(0, 100))} cannot be the name of an argument`);
  }
  return [...key].length === 1 ? `-${key}` : `--${key}`;
}

function flagWords(flag: string, value: JsonValue, stands: "once" | "each"): string[] {
  if (value === null || value === false) {
    return [];
  }
  if (value === true) {
    return [flag];
  }
  if (isList(value)) {
    const words = value.filter((item) => item !== null).map(text);
    return stands === "once" && words.length > 0 ? [flag, ...words] : words.flatMap((word) => [flag, word]);
  }
  return [flag, text(value)];
}

function text(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
