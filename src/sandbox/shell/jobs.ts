/** Owns `&`, `wait`, `kill` and `jobs` of the patched just-bash: what is put into the background runs at once, to its end; never two things at a time. */
import { type Context, type Ending, NOTHING, type Result, type State } from "./inside.ts";
import { type Refuse, sandboxNested } from "./nested.ts";

interface Statement {
  readonly background?: boolean;
  readonly sourceText?: string;
}

interface Shell {
  readonly ctx: Context;
  executeCommand(command: unknown, stdin: string): Promise<Result>;
}

/** Runs a statement that ends in `&` as a subshell; its status waits for `wait`. */
export async function sandboxBackground(shell: Shell, statement: Statement): Promise<Result> {
  const { state } = shell.ctx;
  const pid = state.nextVirtualPid++;
  const { inCondition } = state;
  const subshell = { type: "Subshell", body: [{ ...statement, background: false }], redirections: [] };
  const result = await shell.executeCommand(subshell, "").finally(() => {
    state.inCondition = inCondition;
  });
  state.lastBackgroundPid = pid;
  state.sandboxJobs ??= new Map();
  state.sandboxJobs.set(pid, { pid, status: result.exitCode, text: statement.sourceText ?? "" });
  return { ...result, exitCode: 0 };
}

/** The builtin `wait`. */
export function sandboxWait({ state }: Context, words: readonly string[]): Result {
  const jobs = state.sandboxJobs ?? new Map();
  const wanted = words.filter((word) => !word.startsWith("-"));
  if (wanted.length === 0) {
    const isNext = words.some((word) => /^-\w*n/.test(word));
    const [first] = jobs.keys();
    const statuses = isNext ? [take(state, first)] : [0];
    if (!isNext) {
      jobs.clear();
    }
    return { ...NOTHING, exitCode: statuses[0] ?? 127 };
  }
  let answer = NOTHING;
  for (const word of wanted) {
    const pid = pidOf(state, word);
    const status = take(state, pid);
    answer =
      status === null
        ? { ...NOTHING, stderr: `bash: wait: pid ${word} is not a child of this shell\n`, exitCode: 127 }
        : { ...NOTHING, exitCode: status };
  }
  return answer;
}

function pidOf(state: State, word: string): number {
  const jobs = [...(state.sandboxJobs?.keys() ?? [])];
  if (word === "%%" || word === "%+") {
    return jobs.at(-1) ?? -1;
  }
  return word.startsWith("%") ? (jobs[Number(word.slice(1)) - 1] ?? -1) : Number(word);
}

function take(state: State, pid: number | undefined): number | null {
  const job = pid === undefined ? undefined : state.sandboxJobs?.get(pid);
  if (job === undefined) {
    return null;
  }
  state.sandboxJobs?.delete(job.pid);
  return job.status;
}

const SIGNALS = [
  "HUP",
  "INT",
  "QUIT",
  "ILL",
  "TRAP",
  "ABRT",
  "BUS",
  "FPE",
  "KILL",
  "USR1",
  "SEGV",
  "USR2",
  "PIPE",
  "ALRM",
  "TERM",
];
const TERM = 15;

/** The builtin `kill`: a job has ended already and keeps its status; a signal to the shell itself ends it, after its trap. */
export async function sandboxKill<Script>(
  ctx: Context<Script>,
  args: readonly string[],
  parse: (text: string) => Script,
  Exit: new (status: number, stdout: string, stderr: string) => Ending,
  refuse: Refuse,
): Promise<Result> {
  const { state } = ctx;
  const { signal, rest } = signalOf(args);
  if (args[0] === "-l") {
    return { ...NOTHING, stdout: `${SIGNALS.map((name, i) => `${i + 1}) SIG${name}`).join(" ")}\n` };
  }
  if (signal === null) {
    return { ...NOTHING, stderr: `bash: kill: ${args[0]}: invalid signal specification\n`, exitCode: 1 };
  }
  let answer = NOTHING;
  for (const word of rest) {
    const pid = pidOf(state, word);
    if (pid === state.virtualPid || pid === state.bashPid) {
      answer = signal === 0 ? NOTHING : await deliver(ctx, signal, { parse, Exit, refuse });
    } else if (state.sandboxJobs?.has(pid) !== true) {
      answer = { ...NOTHING, stderr: `bash: kill: (${word}) - No such process\n`, exitCode: 1 };
    }
  }
  return answer;
}

function signalOf(args: readonly string[]): { signal: number | null; rest: readonly string[] } {
  const [first = "", second = "", ...rest] = args;
  if (first === "-s" || first === "-n") {
    return { signal: numberOf(second), rest };
  }
  return first.startsWith("-") && first !== "--"
    ? { signal: numberOf(first.slice(1)), rest: args.slice(1) }
    : { signal: TERM, rest: first === "--" ? args.slice(1) : args };
}

/** Null for a word that names no signal. */
function numberOf(word: string): number | null {
  const name = word.toUpperCase().replace(/^SIG/, "");
  return /^\d+$/.test(name) ? Number(name) : SIGNALS.indexOf(name) + 1 || null;
}

interface Inside<Script> {
  readonly parse: (text: string) => Script;
  readonly Exit: new (status: number, stdout: string, stderr: string) => Ending;
  readonly refuse: Refuse;
}

async function deliver<Script>(
  ctx: Context<Script>,
  signal: number,
  { parse, Exit, refuse }: Inside<Script>,
): Promise<Result> {
  const handler = ctx.state.sandboxTraps?.get(SIGNALS[signal - 1] ?? "");
  if (handler === undefined || signal === SIGNALS.indexOf("KILL") + 1) {
    throw new Exit(128 + signal, "", "");
  }
  return handler === "" ? NOTHING : await sandboxNested(ctx, "trap", parse(handler), refuse);
}

/** The builtins `jobs` and `disown`: nothing is ever running. */
export function sandboxJobs({ state }: Context, name: string): Result {
  if (name === "disown") {
    state.sandboxJobs?.clear();
  }
  return NOTHING;
}
