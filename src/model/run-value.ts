/** Owns turning what a function answered into the outcome of a run and the bytes of a resource. Never calls the function. */
import type { RunResult } from "./run.ts";

/** Turns a value into text: strings as they are, nothing for undefined, anything else as JSON. */
export type Serialize = (value: unknown) => string;

/** The usual way: JSON, where a value has one. */
export const serializeAsJson: Serialize = (value) => {
  if (typeof value === "string") {
    return value;
  }
  return value === undefined ? "" : (JSON.stringify(value) ?? String(value));
};

/**
 * The outcome of a function that went well, with its value as standard output. A value that already is an outcome stays as it is.
 *
 * @example
 * runResultOf({ result: 42 }).stdout; // '{"result":42}'
 */
export function runResultOf(value: unknown, serialize: Serialize = serializeAsJson, duration_ms = 0): RunResult {
  if (isRunResult(value)) {
    return value;
  }
  return {
    exit_code: 0,
    stdout: serialize(value),
    stderr: "",
    timed_out: false,
    truncated: false,
    limit: null,
    duration_ms,
    files: [],
  };
}

function isRunResult(value: unknown): value is RunResult {
  return (
    typeof value === "object" &&
    value !== null &&
    ["exit_code", "stdout", "stderr", "timed_out", "files"].every((key) => Object.hasOwn(value, key))
  );
}

/** The bytes of a value: bytes as they are, anything else serialised. */
export function bytesOf(value: unknown, serialize: Serialize = serializeAsJson): Uint8Array {
  if (value instanceof Uint8Array) {
    return value;
  }
  return value instanceof ArrayBuffer ? new Uint8Array(value) : new TextEncoder().encode(serialize(value));
}
