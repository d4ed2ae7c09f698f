/** Owns the JSON Schema of a script's arguments, in the form that `run_skill_script` takes: an object of options, words under `args`. Never reads a script. */
import type { JsonObject } from "../model/record.ts";

/** Arguments of a script that says nothing of them: words. */
export const ANY_WORDS: JsonObject = { type: "array", items: { type: "string" } };

/** An option. */
export interface Parameter {
  /** As the mapping of arguments wants it: without hyphens before it. */
  readonly key: string;
  readonly schema: JsonObject;
  readonly help: string | null;
  readonly isRequired: boolean;
}

/** A place for words behind the options. */
export interface WordPlace {
  readonly label: string;
  readonly help: string | null;
  readonly min: number;
  /** Null for any number. */
  readonly max: number | null;
}

/** What a script takes. */
export interface ParameterList {
  readonly named: readonly Parameter[];
  readonly positional: readonly WordPlace[];
  /** True when it takes options that it does not name. */
  readonly isOpen: boolean;
}

/** More than this in one description tells a model nothing. */
const MAX_HELP = 300;
/** An object beyond this is not worth its place in what a model reads. */
const MAX_PARAMETERS = 100;

/** The schema; null when an object cannot express it. */
export function parameterSchema({ named, positional, isOpen }: ParameterList): JsonObject | null {
  const keys = named.map(({ key }) => key);
  const wordsKey = ["args", "_"].find((key) => !keys.includes(key));
  // What is no key of the mapping would be refused, and what comes twice has two meanings.
  const isOdd = new Set(keys).size < keys.length || keys.some((key) => !/^[^-\s=\p{Cc}][^\s=\p{Cc}]*$/u.test(key));
  if (isOdd || wordsKey === undefined || named.length > MAX_PARAMETERS) {
    return null;
  }
  const options = named.map(({ key, schema, help }) => [key, { ...schema, ...described(help) }] as const);
  const words = positional.length === 0 ? [] : [[wordsKey, wordsSchema(positional)] as const];
  const required = [
    ...named.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    ...(positional.some(({ min }) => min > 0) ? [wordsKey] : []),
  ];
  return {
    type: "object",
    properties: Object.fromEntries([...options, ...words]),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: isOpen,
  };
}

function wordsSchema(places: readonly WordPlace[]): JsonObject {
  const min = places.reduce((sum, place) => sum + place.min, 0);
  const max = places.reduce<number | null>(
    (sum, place) => (sum === null || place.max === null ? null : sum + place.max),
    0,
  );
  const text = places.map(({ label, help }) => (help === null ? label : `${label}: ${help}`)).join("; ");
  return {
    type: "array",
    items: { type: "string" },
    ...(min > 0 ? { minItems: min } : {}),
    ...(max === null ? {} : { maxItems: max }),
    ...described(text === "" ? null : text),
  };
}

function described(help: string | null): JsonObject {
  const text = (help ?? "").replace(/\s+/g, " ").trim();
  const signs = [...text];
  return text === "" ? {} : { description: signs.length > MAX_HELP ? `${signs.slice(0, MAX_HELP).join("")}…` : text };
}
