/** Owns where the schema of a script's arguments comes from: declared beside it, else read from its text, else any words. Never runs it. */
import type { JsonObject } from "../model/record.ts";
import type { Runtime } from "../model/run.ts";
import { argparseParameters } from "./argparse-parameters.ts";
import { ANY_WORDS } from "./parameter-schema.ts";
import { parseArgsParameters } from "./parse-args-parameters.ts";
import type { ReadText } from "./sandbox-needs.ts";

/** How much of a script, or of a declaration, is read. */
const MAX_LENGTH = 512 * 1024;
const MAX_DECLARED_LENGTH = 64 * 1024;

/** The schema of the arguments of the script at `path`. */
export function scriptParameters(
  path: string,
  source: string,
  runtime: Runtime | null,
  readText: ReadText,
): JsonObject {
  return declared(path, readText) ?? readFrom(source.slice(0, MAX_LENGTH), runtime) ?? ANY_WORDS;
}

/** `scripts/a.parameters.json` beside `scripts/a.py`: a JSON Schema of an object or an array. */
function declared(path: string, readText: ReadText): JsonObject | null {
  const text = readText(`${path.replace(/\.[^./]*$/, "")}.parameters.json`);
  if (text === null || text.length > MAX_DECLARED_LENGTH) {
    return null;
  }
  const schema = parseObject(text);
  return schema?.type === "object" || schema?.type === "array" ? schema : null;
}

function parseObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
  } catch {
    return null;
  }
}

function readFrom(source: string, runtime: Runtime | null): JsonObject | null {
  if (runtime === "python") {
    return argparseParameters(source);
  }
  return runtime === "javascript" ? parseArgsParameters(source) : null;
}
