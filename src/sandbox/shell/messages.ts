/** Owns how just-bash's own messages read: with script and line, as bash has them, and limits by their names; never commands' messages. */
import type { RunLimitName } from "../../model/run.ts";
import { FileError } from "../files/errors.ts";
import type { Result, State } from "./inside.ts";

/** Messages of bash that name no line. */
const NO_LINE = /^(?:illegal option|option requires an argument)/;

/** Messages that begin with `bash: ` with the place in its stead; those of a nested shell have one already. */
export function placed(state: State, line: number, stderr: string): string {
  if (!stderr.includes("bash: ")) {
    return stderr;
  }
  const name = state.currentSource ?? state.env.get("0") ?? "bash";
  return stderr.replace(/^bash: (?!line \d)(.*)$/gm, (_whole, text: string) => {
    const syntax = /^syntax error: Parse error at (\d+):\d+: (.*)$/.exec(text);
    if (syntax !== null) {
      return `${name}: line ${syntax[1]}: ${syntax[2]}`;
    }
    return NO_LINE.test(text) ? `${name}: ${text}` : `${name}: line ${line}: ${text}`;
  });
}

/** A command's result with the place where it stands in the shell's own messages. */
export function sandboxPlace<Given extends Result>(state: State, line: number | undefined, result: Given): Given {
  const stderr = placed(state, line ?? state.currentLine, result.stderr);
  return stderr === result.stderr ? result : { ...result, stderr };
}

/** The result of a command whose redirection the file system refused; null for every other error. */
export function sandboxFault(error: unknown): Result | null {
  if (!(error instanceof FileError)) {
    return null;
  }
  const [, words = error.code] = /^[A-Z]+: ([^,]+)/.exec(error.message) ?? [];
  return {
    stdout: "",
    stderr: `bash: ${error.path ?? ""}: ${words.charAt(0).toUpperCase()}${words.slice(1)}\n`,
    exitCode: 1,
  };
}

/** Names the run's limit behind one of just-bash's. */
export function noteLimit(state: State, error: unknown): void {
  const type = error instanceof Error && "limitType" in error ? String(error.limitType) : null;
  if (type === null) {
    return;
  }
  const name: RunLimitName = type === "iterations" || type === "commands" ? "cpu" : "memory";
  state.sandboxNote?.(name);
}

/** A command that asked for a text larger than fits: its own failure, as when memory is short. Null for every other error. */
export function sandboxTooLarge(state: State, name: string, error: unknown): Result | null {
  if (!(error instanceof Error && "limitType" in error && error.limitType === "string_length")) {
    return null;
  }
  noteLimit(state, error);
  return { stdout: "", stderr: `bash: ${name}: Cannot allocate memory (${error.message})\n`, exitCode: 1 };
}
