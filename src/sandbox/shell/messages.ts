/** Owns how just-bash's own messages read: with script and line, as bash has them, and limits by their names; never commands' messages. */
import type { RunLimitName } from "../../model/run.ts";
import type { Result, State } from "./inside.ts";
import { syntaxWords } from "./syntax-words.ts";

/** Messages of bash that name no line. */
const NO_LINE = /^(?:illegal option|option requires an argument)/;

/** Messages that begin with `bash: ` with the place in its stead; those of a nested shell have one already. */
export function placed(state: State, line: number, stderr: string): string {
  if (!stderr.includes("bash: ")) {
    return stderr;
  }
  const name = state.currentSource ?? state.env.get("0") ?? "bash";
  return stderr.replace(/^bash: (?!line \d)(.*)$/gm, (_whole, text: string) => {
    // Positional parameters are shown as they are written.
    const unset = /^(\d+: unbound variable)$/.exec(text);
    if (unset !== null) {
      return `${name}: line ${line}: $${unset[1]}`;
    }
    const syntax = /^syntax error: Parse error at (\d+):\d+: (.*)$/.exec(text);
    if (syntax !== null) {
      const said = syntaxWords(syntax[2] ?? "");
      return `${name}: line ${syntax[1]}: ${said.startsWith("syntax error") ? "" : "syntax error: "}${said}`;
    }
    return NO_LINE.test(text) ? `${name}: ${text}` : `${name}: line ${line}: ${text}`;
  });
}

/** Commands that bash has built in and just-bash has not: their messages are the shell's too. */
const BUILTIN = new Set(["printf", "[", "test", "read", "let", "cd", "kill", "shift", "mapfile", "readarray", "type"]);

/** A command's result with the place where it stands in the shell's own messages. */
export function sandboxPlace<Given extends Result>(
  state: State,
  line: number | undefined,
  command: string,
  result: Given,
): Given {
  const isOwn = BUILTIN.has(command) && result.stderr.startsWith(`${command}: `);
  const stderr = placed(state, line ?? state.currentLine, `${isOwn ? "bash: " : ""}${result.stderr}`);
  return stderr === result.stderr ? result : { ...result, stderr };
}

/** The result of a command whose redirection the file system refused; null for every other error. */
export function sandboxFault(error: unknown): Result | null {
  if (!(error instanceof Error)) {
    return null;
  }
  const [, words, place = ""] = /^E[A-Z]+: ([^,']+), \w+(?: '([^']*)')?/.exec(error.message) ?? [];
  if (words === undefined) {
    return null;
  }
  return {
    stdout: "",
    stderr: `bash: ${place}: ${words.charAt(0).toUpperCase()}${words.slice(1)}\n`,
    exitCode: 1,
  };
}

/** Names the run's limit behind one of just-bash's. */
export function noteLimit(state: State, error: unknown): void {
  const type = error instanceof Error && "limitType" in error ? String(error.limitType) : null;
  if (type === null || type === "aborted") {
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
