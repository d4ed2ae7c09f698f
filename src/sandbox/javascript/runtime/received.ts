/** Owns the errors of Node.js for arguments of another type; never which arguments. */
import { builtin } from "./builtins.ts";

const MOST_LETTERS = 28;

/** What Node.js says of a value that it did not expect. */
export function received(value: unknown): string {
  const inspected = (how: object) => builtin("util").inspect(value, how);
  switch (typeof value) {
    case "undefined":
      return "undefined";
    case "function":
      return `function ${value.name}`;
    case "object": {
      const name = value?.constructor?.name;
      return value === null ? "null" : name ? `an instance of ${name}` : inspected({ depth: -1 });
    }
    default: {
      const text = inspected({ colors: false });
      return `type ${typeof value} (${text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 3)}...` : text})`;
    }
  }
}

/**
 * The error for an argument of another type.
 * @param expected such as `of type function`
 */
export function wrongType(name: string, expected: string, value: unknown): TypeError {
  const kind = name.includes(".") ? "property" : "argument";
  const error = new TypeError(`The "${name}" ${kind} must be ${expected}. Received ${received(value)}`);
  return Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
}
