/** Owns what a command is: data and a function, so that parsing, help and tests are loops over one list. */
import type { Option } from "commander";
import type { LocalPlatformOptions, RunningPlatform } from "../deploy/local-platform.ts";
import type { SkillsError } from "../model/errors.ts";
import type { StateAccess } from "./state-lock.ts";
import type { Terminal } from "./terminal.ts";

/** Starts a local platform. */
export type StartPlatform = (options: LocalPlatformOptions) => Promise<RunningPlatform>;

/** What a command runs with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Paths on the command line are relative to it. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to end. */
  readonly signal: AbortSignal;
  readonly startPlatform: StartPlatform;
  /** The command's name, and what it does to a local state directory. */
  readonly command: { readonly name: string; readonly access: StateAccess };
}

/** The flags of a call, by their long names in camel case. */
export type Flags = Readonly<Record<string, unknown>>;

/** Exit status: 0 done, 1 the input has errors, 2 wrong use, 3 the surroundings failed; a script's own for `run`. */
export type ExitStatus = number;

/** A command of `edge-skills`. */
export interface CommandSpec {
  /** With its parent, if it has one: `token create`. */
  readonly name: string;
  readonly summary: string;
  /** `alone` for one that takes no other of its kind on the same state directory. Default `beside`. */
  readonly state?: StateAccess;
  /** As commander writes them: `[dir...]`, `<skill>`. */
  readonly arguments: readonly (readonly [form: string, description: string])[];
  readonly options: readonly Option[];
  /** Calls to try, without the program's name. */
  readonly examples: readonly string[];
  run(
    args: readonly (string | readonly string[] | undefined)[],
    flags: Flags,
    context: CommandContext,
  ): Promise<ExitStatus>;
}

/** A failure that is the input's fault here (exit status 1), whoever is to blame for its code elsewhere: a bundle on disk that is damaged. */
export class BadInput extends Error {
  readonly error: SkillsError;

  constructor(error: SkillsError) {
    super(error.message, { cause: error });
    this.name = "BadInput";
    this.error = error;
  }
}
