/** Owns `trap` and what ends scripts and subshells of the patched just-bash (scripts/sandbox-patches.ts); never commands. */
import { type Context, isEnding, NOTHING, type Result, type State } from "./inside.ts";
import { sandboxApart } from "./merged.ts";
import { noteLimit, placed } from "./messages.ts";

const NAMES: Readonly<Record<string, string>> = { "0": "EXIT", "1": "HUP", "2": "INT", "3": "QUIT", "15": "TERM" };
/** Conditions that are no signals. */
const OWN = new Set(["EXIT", "ERR", "RETURN"]);

/** The builtin `trap`. EXIT, ERR and RETURN are called, and what `kill $$` sends: nothing else sends signals here. */
export function sandboxTrap(ctx: { readonly state: State }, args: readonly string[]): Result {
  ctx.state.sandboxTraps ??= new Map();
  const traps = ctx.state.sandboxTraps;
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0 || words[0] === "-p") {
    const wanted = words.slice(1).map(conditionOf);
    const shown = [...traps].filter(([name]) => wanted.length === 0 || wanted.includes(name));
    return { ...NOTHING, stdout: shown.map(([name, command]) => lineOf(name, command)).join("") };
  }
  if (words[0] === "-l") {
    return { ...NOTHING, stdout: " 1) SIGHUP\t 2) SIGINT\t 9) SIGKILL\t15) SIGTERM\n" };
  }
  const [command = "", ...conditions] = words.length === 1 ? ["-", ...words] : words;
  if (command !== "-" && conditions.some((word) => conditionOf(word) === "DEBUG")) {
    return { ...NOTHING, stderr: "bash: trap: DEBUG: the sandbox's shell has no such trap\n", exitCode: 1 };
  }
  for (const word of conditions) {
    if (command === "-") {
      traps.delete(conditionOf(word));
    } else {
      traps.set(conditionOf(word), command);
    }
  }
  return NOTHING;
}

function conditionOf(word: string): string {
  const upper = word.toUpperCase().replace(/^SIG/, "");
  return NAMES[upper] ?? upper;
}

function lineOf(name: string, command: string): string {
  return `trap -- '${command.replaceAll("'", "'\\''")}' ${OWN.has(name) ? name : `SIG${name}`}\n`;
}

/** Runs a script and then, however it ended, its EXIT trap and what reads its output (`exec > >(tee log)`). */
export async function sandboxScript<Script>(
  shell: { readonly ctx: Context<Script> } & Pick<Context<Script>, "executeScript">,
  script: Script,
  parse: (text: string) => Script,
  closeSubstitutions: (ctx: Context<Script>, from: number) => Promise<Result>,
): Promise<Result> {
  const { ctx } = shell;
  try {
    const ended = await ending(ctx, () => shell.executeScript(script), parse);
    const result =
      ctx.state.sandboxKept === true ? joined(ended, await close(ctx, closeSubstitutions), ended.exitCode) : ended;
    return { ...result, stderr: placed(ctx.state, ctx.state.currentLine, result.stderr) };
  } catch (error) {
    noteLimit(ctx.state, error);
    throw error;
  }
}

/** Runs what reads the script's output, itself with the output that was there before. */
function close<Script>(
  ctx: Context<Script>,
  closeSubstitutions: (ctx: Context<Script>, from: number) => Promise<Result>,
): Promise<Result> {
  for (const fd of [1, 2]) {
    ctx.state.fileDescriptors?.delete(fd);
    ctx.state.fdAliases?.delete(fd);
  }
  return closeSubstitutions(ctx, 0);
}

/** A script's result after its EXIT trap; `exit` and errexit end here. */
async function ending<Script>(
  ctx: Context<Script>,
  run: () => Promise<Result>,
  parse: (text: string) => Script,
): Promise<Result> {
  const { state } = ctx;
  const ended = await run().catch((error: unknown) => {
    if (isEnding(error)) {
      return { stdout: error.stdout, stderr: error.stderr, exitCode: error.exitCode };
    }
    throw error;
  });
  const handler = state.sandboxTraps?.get("EXIT");
  if (handler === undefined || handler === "") {
    return ended;
  }
  state.sandboxTraps?.delete("EXIT");
  setStatus(state, ended.exitCode);
  const { errexit } = state.options;
  state.options.errexit = false;
  try {
    return joined(ended, await ctx.executeScript(parse(handler)), ended.exitCode);
  } catch (error) {
    if (isEnding(error)) {
      return joined(ended, error, error.exitCode);
    }
    if (isUnwinding(error)) {
      error.prependOutput(ended.stdout, ended.stderr);
    }
    throw error;
  } finally {
    state.options.errexit = errexit === true;
  }
}

/** just-bash's errors of control carry what was printed on their way out. */
function isUnwinding(error: unknown): error is { prependOutput(stdout: string, stderr: string): void } {
  return error instanceof Error && "prependOutput" in error;
}

function joined(first: Result, last: Pick<Result, "stdout" | "stderr">, exitCode: number): Result {
  return { ...first, stdout: first.stdout + last.stdout, stderr: first.stderr + last.stderr, exitCode };
}

function setStatus(state: State, status: number): void {
  state.lastExitCode = status;
  state.env.set("?", String(status));
}

/** Runs what bash gives a process of its own: what it changes of the shell is gone afterwards, its traps are its own. */
export async function sandboxSubshell<Script>(
  ctx: Context<Script>,
  run: () => Promise<Result>,
  parse: (text: string) => Script,
): Promise<Result> {
  const { state } = ctx;
  const { sandboxTraps, cwd, previousDir, options, shoptOptions, functions } = state;
  const inherits = (name: string, command: string) => command === "" || (name === "ERR" && options.errtrace === true);
  const depth = state.sandboxSubshells ?? 0;
  const merged = state.sandboxStreams?.merged === true;
  Object.assign(state, {
    sandboxSubshells: depth + 1,
    sandboxTraps: new Map([...(sandboxTraps ?? [])].filter(([name, command]) => inherits(name, command))),
    options: { ...options },
    shoptOptions: { ...shoptOptions },
    functions: new Map(functions),
  });
  try {
    return await ending(ctx, run, parse);
  } catch (error) {
    if (error instanceof Error && (error.name === "ReturnError" || error.name === "NounsetError")) {
      const { stdout, stderr, exitCode = 1 } = error as Error & Omit<Result, "exitCode"> & Partial<Result>;
      return { stdout, stderr: placed(state, state.currentLine, stderr), exitCode };
    }
    throw error;
  } finally {
    if (state.sandboxStreams !== undefined) {
      state.sandboxStreams.merged = merged;
    }
    Object.assign(state, { sandboxSubshells: depth, sandboxTraps, cwd, previousDir, options, shoptOptions, functions });
  }
}

/** `$(…)`: a subshell that goes on after failures, unless `shopt -s inherit_errexit`. */
export function sandboxCapture<Script>(
  ctx: Context<Script>,
  script: Script,
  parse: (text: string) => Script,
): Promise<Result> {
  return sandboxSubshell(
    ctx,
    () => {
      ctx.state.options.errexit = ctx.state.options.errexit === true && ctx.state.shoptOptions.inherit_errexit === true;
      return sandboxApart(ctx.state, () => ctx.executeScript(script));
    },
    parse,
  );
}

/** Runs the ERR trap after a command that failed where that counts; gives what it printed. */
export async function sandboxError<Script>(
  ctx: Context<Script>,
  statement: { readonly sourceText?: string },
  status: number,
  parse: (text: string) => Script,
): Promise<Result> {
  const { state } = ctx;
  const handler = state.sandboxTraps?.get("ERR");
  const isHere = state.callDepth === 0 || state.options.errtrace === true;
  if (handler === undefined || handler === "" || !isHere || state.sandboxInTrap === true) {
    return NOTHING;
  }
  setStatus(state, status);
  state.env.set("BASH_COMMAND", statement.sourceText ?? "");
  state.sandboxInTrap = true;
  const line = state.currentLine;
  try {
    const { stdout, stderr } = await ctx.executeScript(atLine(parse(handler), line));
    return { stdout, stderr, exitCode: status };
  } finally {
    state.sandboxInTrap = false;
    state.currentLine = line;
    setStatus(state, status);
  }
}

/** A handler's commands stand at the line of the command that failed: that is what its `$LINENO` says. */
function atLine<Script>(script: Script, line: number): Script {
  JSON.stringify(script, (key, value) => {
    if (typeof value === "object" && value !== null && key !== "" && "line" in value) {
      value.line = line;
    }
    return value;
  });
  return script;
}

/** Runs what is asked for its status (`a && …`, `! a`): errexit and ERR are off in there, as in bash also for functions it calls. */
export async function sandboxTested(
  state: State,
  tested: "tested" | "counts",
  run: () => Promise<Result>,
): Promise<Result> {
  if (tested === "counts" || state.inCondition) {
    return await run();
  }
  state.inCondition = true;
  try {
    return await run();
  } finally {
    state.inCondition = false;
  }
}
