/** Owns the value that YAML is read to: texts, lists and ordered mappings. Never parses. */
import type { JsonObject, JsonValue } from "../model/record.ts";

/** What a node of the frontmatter says; every scalar is a text. */
export type YamlValue = string | readonly YamlValue[] | YamlMapping;

/** A mapping, keys in their order. A Map, since an object would move keys that look like numbers to the front. */
export type YamlMapping = ReadonlyMap<string, YamlValue>;

/** Tells whether a value is a mapping. */
export function isMapping(value: YamlValue | undefined): value is YamlMapping {
  return value instanceof Map;
}

/** A value as plain data. Every key becomes an own property, `__proto__` too. */
export function toJson(value: YamlValue): JsonValue {
  if (typeof value === "string") {
    return value;
  }
  return isMapping(value) ? toJsonObject(value) : value.map(toJson);
}

/** A mapping as plain data. */
export function toJsonObject(mapping: YamlMapping): JsonObject {
  return Object.fromEntries([...mapping].map(([key, value]) => [key, toJson(value)]));
}

/** A value as compact JSON text, keys in their order. */
export function toJsonText(value: YamlValue): string {
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  if (isMapping(value)) {
    return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${toJsonText(item)}`).join(",")}}`;
  }
  return `[${value.map(toJsonText).join(",")}]`;
}
