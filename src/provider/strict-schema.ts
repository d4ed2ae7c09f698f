/** Owns making a tool's schema valid in the strict modes of model providers. What these cannot say travels another way: objects as JSON text. */
import type { JsonObject, JsonValue } from "../model/record.ts";

/** What strict modes do not take beside a type; the description says it in words. */
const UNSUPPORTED = new Set(["minimum", "maximum", "default"]);

/**
 * The schema as strict modes take it: every property is required (an optional one may be null), no object is open, and an open object
 * among several forms is left out, since the form of JSON text holds it too.
 */
export function strictSchema(schema: JsonObject): JsonObject {
  const { properties, required, ...rest } = schema;
  const strict = Object.fromEntries(
    Object.entries(rest)
      .filter(([key]) => !UNSUPPORTED.has(key))
      .map(([key, value]) => [key, key === "anyOf" && isList(value) ? closedForms(value) : nested(value)]),
  );
  if (!isObject(properties)) {
    return strict;
  }
  const needed = new Set(isList(required) ? required : []);
  const all = Object.entries(properties).map(([name, value]): [string, JsonValue] => {
    const own = isObject(value) ? strictSchema(value) : value;
    return [name, needed.has(name) || !isObject(own) ? own : nullable(own)];
  });
  return {
    ...strict,
    properties: Object.fromEntries(all),
    required: all.map(([name]) => name),
    additionalProperties: false,
  };
}

function closedForms(forms: readonly JsonValue[]): readonly JsonValue[] {
  return forms.filter((form) => !isObject(form) || form.additionalProperties !== true).map(nested);
}

function nested(value: JsonValue): JsonValue {
  return isObject(value) ? strictSchema(value) : value;
}

function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (typeof type === "string") {
    return { ...schema, type: [type, "null"] };
  }
  const isNullable = isList(anyOf) ? anyOf.some((form) => isObject(form) && form.type === "null") : isList(type);
  return isNullable || !isList(anyOf) ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
