/** Owns what the arguments of each tool are. Whatever does not fit is `arguments-invalid`, told so that a model can mend it. */
import { fromBase64 } from "../model/base64.ts";
import { SkillsError } from "../model/errors.ts";
import { isSafePath } from "../model/path.ts";
import type { JsonValue } from "../model/record.ts";
import type { RunInputFile } from "../model/run.ts";
import { ArgumentReader } from "./argument-reader.ts";

/** Which part of a text is asked for. */
interface Range {
  readonly offset: number | null;
  readonly limit: number | null;
}

export interface LoadArguments extends Range {
  readonly skill_name: string;
}

export interface ReadArguments extends Range {
  readonly skill_name: string;
  readonly resource_name: string;
}

export interface SearchArguments {
  readonly query: string;
}

/** A file as a call carries it. */
export interface WrittenFile {
  readonly path: string;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
}

export interface RunArguments {
  readonly skill_name: string;
  readonly script_name: string;
  readonly arguments: JsonValue | undefined;
  readonly stdin: string | null;
  readonly files: readonly WrittenFile[];
  readonly limits: { readonly timeout_ms: number | null; readonly output_bytes: number | null };
  readonly approval_id: string | null;
}

export function readLoadArguments(value: unknown): LoadArguments {
  const read = new ArgumentReader(value);
  return { skill_name: read.string("skill_name"), ...rangeOf(read) };
}

export function readSearchArguments(value: unknown): SearchArguments {
  return { query: new ArgumentReader(value).string("query") };
}

export function readReadArguments(value: unknown): ReadArguments {
  const read = new ArgumentReader(value);
  return { skill_name: read.string("skill_name"), resource_name: read.string("resource_name"), ...rangeOf(read) };
}

export function readRunArguments(value: unknown): RunArguments {
  const read = new ArgumentReader(value);
  const limits = read.optionalObject("limits");
  return {
    skill_name: read.string("skill_name"),
    script_name: read.string("script_name"),
    // Taken as it came: what a script makes of it is argumentsToWords()'s to say, own `__proto__` keys included.
    arguments: read.json("arguments"),
    stdin: read.optionalString("stdin"),
    files: read.objects("files").map((file) => ({
      path: file.string("path"),
      encoding: file.optionalChoice("encoding", ["utf-8", "base64"]) ?? "utf-8",
      content: file.string("content"),
    })),
    limits: {
      timeout_ms: limits?.optionalInteger("timeout_ms", 1) ?? null,
      output_bytes: limits?.optionalInteger("output_bytes", 1) ?? null,
    },
    approval_id: read.optionalString("approval_id"),
  };
}

/** Which skill and resource a call names, and the approval it brings. Throws `arguments-invalid`. */
export function readSkillNames(value: unknown): {
  readonly skill_name: string;
  readonly resource_name: string | null;
  readonly approval_id: string | null;
} {
  const read = new ArgumentReader(value);
  return {
    skill_name: read.string("skill_name"),
    resource_name: read.optionalString("resource_name"),
    approval_id: read.optionalString("approval_id"),
  };
}

/** Tells whether a call of `load_skill` asks for all of the text. */
export function isWholeLoad(value: unknown): boolean {
  const { offset, limit } = readLoadArguments(value);
  return (offset ?? 0) === 0 && limit === null;
}

function rangeOf(read: ArgumentReader): Range {
  return { offset: read.optionalInteger("offset", 0), limit: read.optionalInteger("limit", 1) };
}

/** The files a caller gives to a run. Throws `arguments-invalid` for a path that leaves the skill or content that is not base64. */
export function inputFiles(given: RunArguments["files"]): RunInputFile[] {
  return given.map(({ path, encoding, content }) => {
    if (!isSafePath(path)) {
      throw new SkillsError("arguments-invalid", `Cannot use file "${path}": its path is not inside the skill`);
    }
    return { path, bytes: encoding === "base64" ? bytesOf(path, content) : new TextEncoder().encode(content) };
  });
}

function bytesOf(path: string, content: string): Uint8Array {
  try {
    return fromBase64(content);
  } catch {
    throw new SkillsError("arguments-invalid", `Cannot use file "${path}": its content is not base64`);
  }
}
