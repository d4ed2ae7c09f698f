/** Owns the way from a tool's `arguments` to what a function takes. A skill or script may bring its own way. */
import { SkillsError } from "../model/errors.ts";
import type { JsonObject, JsonValue } from "../model/record.ts";

/** Makes of the arguments a model sent what a script is to take. Throws `arguments-invalid` for what it cannot use. */
export type ArgumentMarshaler = (given: JsonValue | undefined) => JsonValue | undefined;

/**
 * The usual way of functions: an object is named arguments, nothing is none, JSON text of either is taken as what it holds.
 * Anything else, an array too, is refused.
 */
export const namedArguments: ArgumentMarshaler = (given) => {
  const value = typeof given === "string" ? parsed(given) : given;
  if (value === null || value === undefined) {
    return {};
  }
  if (!isObject(value)) {
    const kind = Array.isArray(value) ? "an array" : `a ${typeof value}`;
    throw new SkillsError(
      "arguments-invalid",
      `Cannot use arguments: ${kind} was sent. Send an object of named arguments`,
    );
  }
  return value;
};

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new SkillsError("arguments-invalid", "Cannot use arguments: the text is not JSON");
  }
}
