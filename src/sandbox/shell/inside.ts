/** Owns the types of just-bash's insides that its patches hand to the sandbox (scripts/sandbox-patches.ts); never code. */
import type { RunLimitName } from "../../model/run.ts";

/** What a command gave. */
export interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly stdoutKind?: "text" | "bytes";
}

/** A child that was started with `&`. */
export interface Job {
  readonly pid: number;
  readonly status: number;
  readonly text: string;
}

/** What the command that runs reads and writes. */
export interface Streams {
  /** Standard input, a character for each byte. */
  text: string;
  /** True when the output is another command's input. */
  piped: boolean;
  /** True when standard error goes where standard output goes. */
  merged: boolean;
}

/** The state of one shell, as far as the hooks look at it; those of `sandbox…` are their own. */
export interface State {
  env: Map<string, string>;
  cwd: string;
  previousDir: string;
  lastExitCode: number;
  lastBackgroundPid: number;
  nextVirtualPid: number;
  bashPid: number;
  virtualPid: number;
  currentLine: number;
  currentSource?: string;
  callDepth: number;
  /** Functions that run, the innermost first. */
  funcNameStack?: readonly string[];
  /** Lines that they were called at. */
  callLineStack?: readonly number[];
  /** Files that they stand in, and last the script's. */
  sourceStack?: readonly string[];
  inCondition: boolean;
  functions: Map<string, unknown>;
  arrays?: Map<string, { readonly kind: "indexed" | "associative"; readonly elements: Map<string, string> }>;
  namerefs?: Set<string> | undefined;
  integerVars?: Set<string> | undefined;
  lowercaseVars?: Set<string> | undefined;
  uppercaseVars?: Set<string> | undefined;
  readonlyVars?: Set<string> | undefined;
  associativeArrays?: unknown;
  boundNamerefs?: unknown;
  invalidNamerefs?: unknown;
  tempExportedVars?: unknown;
  localExportedVars?: unknown;
  declaredVars?: unknown;
  localArrayScopes?: unknown;
  localVarDepth?: unknown;
  localVarStack?: unknown;
  fullyUnsetLocals?: unknown;
  tempEnvBindings?: unknown;
  mutatedTempEnvVars?: unknown;
  accessedTempEnvVars?: unknown;
  directoryStack?: unknown;
  options: Record<string, boolean>;
  shoptOptions: Record<string, boolean>;
  /** Condition → command. */
  sandboxTraps?: Map<string, string>;
  sandboxInTrap?: boolean;
  /** A RETURN trap is being called. */
  sandboxReturning?: boolean;
  /** Scripts in scripts; see nested.ts. */
  sandboxDepth?: number;
  /** Shells within shells: `BASH_SUBSHELL`. */
  sandboxSubshells?: number;
  sandboxJobs?: Map<number, Job>;
  fileDescriptors?: Map<number, unknown>;
  fdAliases?: Map<number, unknown>;
  /** `exec` opened process substitutions: they end with the script. */
  sandboxKept?: boolean;
  /** A compound command's redirections failed. */
  sandboxRefused?: boolean;
  /** The file that is run next; see called-files.ts. */
  sandboxFile?: unknown;
  sandboxStreams?: Streams;
  /** Names a limit that was hit. */
  sandboxNote?: (limit: RunLimitName) => void;
}

/** Where hooks are called from: a shell that runs, or what just-bash hands to its parts. */
export interface Context<Script = unknown> {
  readonly state: State;
  executeScript(script: Script): Promise<Result>;
}

export const NOTHING: Result = { stdout: "", stderr: "", exitCode: 0 };

export type Ending = Error & { stdout: string; stderr: string; exitCode: number };

/** `exit` and errexit unwind as errors that carry a status; limits and aborts do not count as an ending of the script. */
export function isEnding(error: unknown): error is Ending {
  return error instanceof Error && (error.name === "ExitError" || error.name === "ErrexitError") && "exitCode" in error;
}
