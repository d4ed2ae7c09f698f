/** Owns whether what a JavaScript child answered is a result of its run; a script may have had its hands on it. Never what is not asked for. */
import { isSafePath } from "../model/path.ts";
import { isRunLimitName, type RunLimits } from "../model/run.ts";
import { contentSize } from "../model/run-content.ts";
import type { LeftFile } from "./files/changes.ts";
import type { ChildResult } from "./protocol.ts";

/** What a child says of a run, and whether it can serve another one. */
export interface JavaScriptAnswer {
  readonly result: ChildResult;
  readonly realm: unknown;
}

/** Reads an answer: the fields of a result, within the run's limits, and nothing else. Throws for any other text. */
export function readJavaScriptAnswer(text: string, limits: RunLimits): JavaScriptAnswer {
  const value: unknown = JSON.parse(text);
  const { exit_code, stdout, stderr, timed_out, truncated, limit, duration_ms, files, realm } = objectOf(value);
  const isResult =
    (exit_code === null || Number.isSafeInteger(exit_code)) &&
    isOutput(stdout, limits) &&
    isOutput(stderr, limits) &&
    typeof timed_out === "boolean" &&
    typeof truncated === "boolean" &&
    (limit === null || isRunLimitName(limit)) &&
    typeof duration_ms === "number" &&
    Array.isArray(files) &&
    files.length <= limits.files;
  if (!isResult) {
    throw new Error("the script's isolate gave no result");
  }
  const left = files.map((file) => leftFile(objectOf(file)));
  if (left.reduce((bytes, { size }) => bytes + size, 0) > limits.file_bytes) {
    throw new Error("the script's isolate gave more than its files may hold");
  }
  const result = { exit_code, stdout, stderr, timed_out, truncated, limit, duration_ms, files: left } as ChildResult;
  return { result, realm };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** A text has at least one byte for each of its units, so one with more units than bytes is too long in any case. */
function isOutput(value: unknown, { output_bytes }: RunLimits): value is string {
  return typeof value === "string" && value.length <= output_bytes;
}

function leftFile({ path, encoding, content }: Readonly<Record<string, unknown>>): LeftFile {
  const isUsable = typeof path === "string" && isSafePath(path) && typeof content === "string";
  if (!isUsable || (encoding !== "utf-8" && encoding !== "base64")) {
    throw new Error("the script's isolate gave a file that is none");
  }
  const size = contentSize({ encoding, content });
  if (size === null) {
    throw new Error("the script's isolate gave a file that is not base64");
  }
  return { path, size, encoding, content };
}
