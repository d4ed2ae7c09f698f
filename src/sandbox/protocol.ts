/** Owns what runner and children say to each other; plain data, never code. */
import type { Digest } from "../model/digest.ts";
import type { RunInputFile, RunLimits, RunSkillFile } from "../model/run.ts";

/** One run, as a child gets it. */
export interface ChildRun {
  readonly runtime: "python" | "bash" | "javascript";
  /** The script's path, relative to the skill. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly skill_files: readonly RunSkillFile[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** When the wall clock ends the run, milliseconds since 1970. */
  readonly deadline: number;
}

/** What a child may ask the runner for during a run. */
export interface ChildHost {
  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]>;
  fetch(request: Request): Promise<Response>;
}

/** One JavaScript run, as its child gets it: with all bytes, since the child lives for this run only. */
export interface JavaScriptRun {
  /** The script's path, relative to the skill. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly skill: readonly RunInputFile[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** When the wall clock ends the run, milliseconds since 1970. */
  readonly deadline: number;
}
