/** Owns what is said between a runner and a function that runs scripts elsewhere: the script function protocol of CONTRACT.md §3. Types only. */
import type { Digest } from "./digest.ts";
import type { JsonValue } from "./record.ts";
import type { RunLimits } from "./run.ts";

/** Version of the protocol. A function refuses a number it does not know. */
export const FUNCTION_PROTOCOL = 1;

/** How far the clock of a signature may be off, and how long an id is remembered, milliseconds. */
export const FUNCTION_WINDOW_MS = 5 * 60_000;

/** A file that lies in the skill's directory when the script starts. */
export interface FunctionFile {
  /** Relative to the skill's root, with `/`. */
  readonly path: string;
  readonly encoding: "utf-8" | "base64";
  readonly content: string;
}

/** One run, as a function is asked for it. Its answer is a `RunResult`. */
export interface FunctionRequest {
  readonly protocol: typeof FUNCTION_PROTOCOL;
  /** Unique to this run; a repeat is refused. */
  readonly id: string;
  /** Who acts, where a verified JWT says so. */
  readonly actor?: string;
  readonly skill: { readonly name: string; readonly digest: Digest };
  readonly script: {
    /** The script's path, relative to the skill's root. */
    readonly name: string;
    readonly digest: Digest;
    /** Its text, where the skill's files are sent. */
    readonly source?: string;
  };
  /** As the tool was called with; null for none. */
  readonly arguments: JsonValue;
  /** The words a file script makes of them. */
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly files: readonly FunctionFile[];
  readonly limits: Pick<RunLimits, "timeout_ms" | "output_bytes">;
}
