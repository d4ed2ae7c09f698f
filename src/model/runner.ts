/** Owns the sending side's contract: what a script of a packed skill is handed to (DESIGN.md §7). Types only. */
import type { Digest } from "./digest.ts";
import type { JsonValue, SkillRecord, SkillScript } from "./record.ts";
import type { RunInputFile, RunLimits, RunResult } from "./run.ts";

/** One script to be run, with all a runner may need of its skill. */
export interface ScriptJob {
  readonly skill: SkillRecord;
  readonly script: SkillScript;
  /** As the tool was called with; null for none. */
  readonly arguments: JsonValue;
  /** The words after the script's name that are made of them. */
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** What may share a warm isolate: the tenant's name, or the layer's where there is none. */
  readonly isolation: string;
  /** Who acts, as a verified JWT says; absent or null where nobody vouches for it. */
  readonly actor?: string | null;
  /** What the run is part of (W3C Trace Context); absent or null outside of a trace. */
  readonly traceparent?: string | null;
  readonly signal: AbortSignal | null;
  /** Bytes of the skill's files and compiled scripts, in the order asked for. Throws for any other digest. */
  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]>;
}

/** What the pack step found of a skill's scripts. */
export interface PackedCounts {
  readonly scripts: number;
  /** By the sandbox. */
  readonly runnable: number;
}

/** What a script is sent to: a remote function, never a local subprocess. */
export interface ScriptRunner {
  /** Runs a script. A script's failure is a result; throws `runner-busy` or `runner-failed` when nothing ran, `runner-lost` when nobody knows how it ended. */
  run(job: ScriptJob): Promise<RunResult>;
  /**
   * Why it does not run a script of a skill; null when it does. Absent where what the pack step found for the sandbox is right: then a script
   * that lacks something is not offered.
   */
  reasonAgainst?(skill: string, script: SkillScript): string | null;
  /** How many of a skill's scripts it runs; null where only {@link reasonAgainst} can tell. Comes with that. */
  countRunnable?(skill: string, packed: PackedCounts): number | null;
}
