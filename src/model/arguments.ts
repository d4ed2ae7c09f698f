/** Owns the way from a tool's `arguments` to a file script's words. Nothing is split, quoted, expanded or interpreted. Rules: cases/README.md, arguments.json. */
import { SkillsError } from "./errors.ts";
import type { JsonValue } from "./record.ts";

/** How many words a script may get. */
export const MAX_ARGUMENT_WORDS = 1_024;

/** UTF-8 bytes of all words together; what Linux gives a single argument. */
export const MAX_ARGUMENT_BYTES = 131_072;

/** Turns the arguments of a call into the words after the script's name. Throws `arguments-invalid`. */
export function argumentsToWords(value: JsonValue | undefined): string[] {
  const words = wordsOf(argumentsIn(value));

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

/** The arguments of a call, JSON text read as what it holds; null for none. Throws `arguments-invalid` for a text that holds none. */
export function argumentsIn(value: JsonValue | undefined): JsonValue {
  return typeof value === "string" ? parseText(value) : (value ?? null);
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

function wordsOf(value: JsonValue | undefined): string[] {
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
      : { flags: flagWords(flagOf(key), item), positionals: [] },
  );
  return [...entries.flatMap(({ flags }) => flags), ...entries.flatMap(({ positionals }) => positionals)];
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

function flagWords(flag: string, value: JsonValue): string[] {
  if (value === null || value === false) {
    return [];
  }
  if (value === true) {
    return [flag];
  }
  if (isList(value)) {
    return value.filter((item) => item !== null).flatMap((item) => [flag, text(item)]);
  }
  return [flag, text(value)];
}

function text(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
