/** Owns what the patched just-bash calls at its joints (scripts/sandbox-patches.ts): traps, other interpreters, turns; never commands. */
import { FileError } from "../files/errors.ts";

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface State {
  env: Map<string, string>;
  lastExitCode: number;
  options: Record<string, boolean>;
  /** Set by {@link sandboxTrap}: condition → command. */
  sandboxTraps?: Map<string, string>;
}

interface Interpreter<Script> {
  readonly ctx: { readonly state: State };
  executeScript(script: Script): Promise<Result>;
}

const NOTHING: Result = { stdout: "", stderr: "", exitCode: 0 };
const NAMES: Readonly<Record<string, string>> = { "0": "EXIT", "1": "HUP", "2": "INT", "3": "QUIT", "15": "TERM" };

/** The builtin `trap`. Only EXIT is ever called: nothing sends signals here. */
export function sandboxTrap(ctx: { readonly state: State }, args: readonly string[]): Result {
  ctx.state.sandboxTraps ??= new Map();
  const traps = ctx.state.sandboxTraps;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0 || words[0] === "-p") {
    const lines = [...traps].map(([name, command]) => `trap -- '${command.replaceAll("'", "'\\''")}' ${name}\n`);
    return { ...NOTHING, stdout: lines.join("") };
  }
  if (words[0] === "-l") {
    return { ...NOTHING, stdout: " 1) SIGHUP\t 2) SIGINT\t 9) SIGKILL\t15) SIGTERM\n" };
  }
  const [command = "", ...conditions] = words.length === 1 ? ["-", ...words] : words;
  for (const word of conditions) {
    const upper = word.toUpperCase().replace(/^SIG/, "");
    const name = NAMES[upper] ?? upper;
    if (command === "-") {
      traps.delete(name);
    } else {
      traps.set(name, command);
    }
  }
  return NOTHING;
}

/** Runs a script and then, however it ended, its EXIT trap. */
export async function sandboxScript<Script>(
  interpreter: Interpreter<Script>,
  script: Script,
  parse: (text: string) => Script,
): Promise<Result> {
  let result: Result | null = null;
  let failure: (Error & Partial<Result> & { stdout: string; stderr: string; exitCode: number }) | null = null;
  try {
    result = await interpreter.executeScript(script);
  } catch (error) {
    if (!isEnding(error)) {
      throw error;
    }
    failure = error;
  }
  const { state } = interpreter.ctx;
  const handler = state.sandboxTraps?.get("EXIT");
  const ended = failure ?? result ?? NOTHING;
  if (handler !== undefined && handler !== "") {
    state.sandboxTraps?.delete("EXIT");
    state.lastExitCode = ended.exitCode;
    state.env.set("?", String(ended.exitCode));
    const last = await runHandler(interpreter, parse(handler), ended.exitCode);
    return {
      ...(result ?? {}),
      stdout: ended.stdout + last.stdout,
      stderr: ended.stderr + last.stderr,
      exitCode: last.exitCode,
    };
  }
  if (failure !== null) {
    throw failure;
  }
  return result ?? NOTHING;
}

async function runHandler<Script>(interpreter: Interpreter<Script>, handler: Script, status: number): Promise<Result> {
  const { options } = interpreter.ctx.state;
  const before = options.errexit === true;
  options.errexit = false;
  try {
    return { ...(await interpreter.executeScript(handler)), exitCode: status };
  } catch (error) {
    if (isEnding(error)) {
      return error;
    }
    throw error;
  } finally {
    options.errexit = before;
  }
}

type Ending = Error & { stdout: string; stderr: string; exitCode: number };

/** `exit` and errexit unwind as errors that carry a status; limits and aborts do not count as an ending of the script. */
function isEnding(error: unknown): error is Ending {
  return error instanceof Error && (error.name === "ExitError" || error.name === "ErrexitError") && "exitCode" in error;
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

const INTERPRETERS = /^#![^\n]*?\b(python|node|deno|bun)[0-9.]*\b/;

/** The text to run for a file that was called by its path: itself, or a call of the interpreter its first line names. */
export function sandboxProgram(text: string): string {
  const found = INTERPRETERS.exec(text)?.[1];
  if (found !== undefined) {
    return `${found === "python" ? "python3" : "node"} "$0" "$@"`;
  }
  // The line stays, as an empty one, so that line numbers hold.
  return text.startsWith("#!") ? text.replace(/^[^\n]*/, "") : text;
}

const TURN_MS = 20;
/** Statements after which the clock is looked at, and after which a turn ends where the clock stands still. */
const LOOK = 32;
const MOST = 20_000;

let turnBegan = 0;
let statements = 0;

/** Ends the turn now and then, so that timers and other runs get theirs while a script computes. */
export function sandboxTurn(): Promise<void> | undefined {
  statements++;
  if (statements % LOOK !== 0 || (Date.now() - turnBegan < TURN_MS && statements < MOST)) {
    return undefined;
  }
  return new Promise((resolve) => {
    setTimeout(() => {
      turnBegan = Date.now();
      statements = 0;
      resolve();
    }, 0);
  });
}
