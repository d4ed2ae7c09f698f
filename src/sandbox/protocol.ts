/** Owns what runner and children say to each other; plain data and capabilities, never code. */
import type { Digest } from "../model/digest.ts";
import type { RunInputFile, RunLimitName, RunLimits, RunResult, RunSkillFile } from "../model/run.ts";
import type { LeftFile } from "./files/changes.ts";
import type { Delta } from "./files/delta.ts";

/** What a child answers: the result, but for what the runner adds. */
export type ChildResult = Omit<RunResult, "files"> & { readonly files: readonly LeftFile[] };

/** What a child says when the run could not begin for a reason that is not its own: the child is as good as before. */
export interface ChildFailure {
  readonly failed: string;
}

/** One run of Python or shell, as the box gets it. */
export interface ChildRun {
  /** The run's id: all of its programs in the box share one budget. */
  readonly run: string;
  readonly runtime: "python" | "bash";
  /** The script's path, relative to the skill. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly skill_files: readonly RunSkillFile[];
  readonly packages: readonly Digest[];
  /** Paths of scripts that `node` can run, relative to the skill. */
  readonly programs: readonly string[];
  /** Ports of 127.0.0.1 that lead out of the run. */
  readonly loopback_ports: readonly number[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** When the wall clock ends the run, milliseconds since 1970. */
  readonly deadline: number;
}

/** What the box may ask for during a run. */
export interface ChildHost {
  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]>;
  fetch(request: Request): Promise<Response>;
}

/** A packed script that Python or shell start as `node FILE`. */
export interface NodeRequest {
  /** Relative to the skill. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** What the run has changed so far. */
  readonly delta: Delta;
}

/** The box's way to `node`, which has children of its own. */
export interface NodeDoor {
  node(request: NodeRequest): Promise<SpawnAnswer>;
}

/** A file of the skill as a JavaScript child gets it. */
export interface SkillBytes {
  /** Relative to the skill's root. */
  readonly path: string;
  readonly digest: Digest;
  /** Null where the child keeps what it was told before, and asks for the rest. */
  readonly bytes: Uint8Array | null;
}

/** One JavaScript run, as its child gets it. */
export interface JavaScriptRun {
  /** Whether the isolate is the run's own, or serves others too. */
  readonly isolate: "own" | "shared";
  /** The script's path, relative to the skill. */
  readonly script: string;
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly skill: readonly SkillBytes[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  /** When the wall clock ends the run, milliseconds since 1970. */
  readonly deadline: number;
}

/** The same for a script that another program of the run has started. */
export interface JavaScriptProgram extends Omit<JavaScriptRun, "stdin"> {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly delta: Delta;
}

/** What a JavaScript child may ask for. */
export interface JavaScriptHost {
  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]>;
  fetch(request: Request): Promise<Response>;
  spawn(request: SpawnRequest): Promise<SpawnAnswer>;
}

/** A program that a JavaScript run starts. */
export interface SpawnRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  /** What the run has changed so far. */
  readonly delta: Delta;
}

/** The same with what the box needs of the run. */
export interface SpawnOrder extends SpawnRequest {
  /** The run's id. */
  readonly run: string;
  /** How many programs the run has started before this one. */
  readonly started: number;
  readonly skill_files: readonly RunSkillFile[];
  readonly packages: readonly Digest[];
  readonly programs: readonly string[];
  readonly loopback_ports: readonly number[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  readonly deadline: number;
}

/** What the box answers of a program, with what the runner keeps for itself. */
export interface SpawnOutcome extends SpawnAnswer {
  /** How many programs the run has started by now, as far as the box knows. */
  readonly started: number;
}

export interface SpawnAnswer {
  readonly status: number;
  /** The budget of the run that ended it; absent when it ended by itself. */
  readonly limit?: "cpu" | "wall";
  /** A limit that it hit and that did not end it. */
  readonly noted?: RunLimitName;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  /** What the program has changed. */
  readonly delta: Delta;
}
