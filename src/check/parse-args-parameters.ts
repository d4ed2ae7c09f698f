/** Owns the arguments of a JavaScript or TypeScript script as its call of Node's `parseArgs` states them. Never runs the script. */
import type { JsonObject } from "../model/record.ts";
import { isLiteralObject, type LiteralValue, readLiteral } from "./javascript-literals.ts";
import { type Parameter, parameterSchema, type WordPlace } from "./parameter-schema.ts";
import { JAVASCRIPT_SYNTAX, withoutCommentsAndBlocks } from "./script-text.ts";

const CALL = /\bparseArgs\s*\(/g;
const IMPORT = /\bparseArgs\b[^;]{0,200}["'](?:node:util|util|@pkgjs\/parseargs)["']/;
const WORDS: WordPlace = { label: "words", help: null, min: 0, max: null };

/** The schema of a script's arguments; null when they cannot be told from its text. */
export function parseArgsParameters(source: string): JsonObject | null {
  if (!IMPORT.test(source)) {
    return null;
  }
  const code = withoutCommentsAndBlocks(source, JAVASCRIPT_SYNTAX);
  const [call, second] = [...code.matchAll(CALL)];
  if (call === undefined || second !== undefined) {
    return null;
  }
  const config = readLiteral(source, call.index + call[0].length);
  const options = isLiteralObject(config) && config.isWhole ? config.entries.get("options") : undefined;
  if (!isLiteralObject(config) || !isLiteralObject(options) || !options.isWhole) {
    return null;
  }
  const isStrict = config.entries.get("strict") !== false;
  const takesWords = config.entries.get("allowPositionals") === true || !isStrict;
  const named = [...options.entries].map(([name, option]) => parameterOf(name, option));
  if (named.includes(null)) {
    return null;
  }
  return parameterSchema({
    named: named.flatMap((parameter) => parameter ?? []),
    positional: takesWords ? [WORDS] : [],
    isOpen: !isStrict,
  });
}

/** An option: null for one that cannot be read, or cannot be said by an object, where a key of one character becomes `-x`. */
function parameterOf(name: string, option: LiteralValue): Parameter | null {
  if (!isLiteralObject(option)) {
    return null;
  }
  const [type, short, initial] = ["type", "short", "default"].map((key) => option.entries.get(key));
  if ((type !== "string" && type !== "boolean") || (name.length === 1 && short !== name)) {
    return null;
  }
  const one: JsonObject = { type };
  const isMultiple = option.entries.get("multiple") === true && type === "string";
  const known = typeof initial === type && (typeof initial === "string" || typeof initial === "boolean");
  const single: JsonObject = known ? { ...one, default: initial } : one;
  const schema: JsonObject = isMultiple ? { type: "array", items: one } : single;
  return { key: name, schema, help: null, isRequired: false };
}
