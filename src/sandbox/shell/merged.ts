/** Owns whether standard error goes where standard output goes (`2>&1`), so that what is printed stays in one order; never redirects. */
import type { Result, State } from "./inside.ts";
import { encodeText, latin1 } from "./tools/text.ts";

/** A redirection as it was parsed. */
interface Redirection {
  readonly operator: string;
  readonly fd?: number | null;
}

/** A result as just-bash counts its bytes. */
interface Counted extends Result {
  readonly stdoutEncoding?: string;
  readonly internalOutputAccounting?: { readonly stdout: number; readonly stderr: number };
}

/** Files that are an output by another name. */
const STANDARD: ReadonlyMap<string, number> = new Map([
  ["/dev/stdout", 1],
  ["/dev/stderr", 2],
]);

/** Runs what stands behind redirections. */
export async function sandboxRouted<T>(
  state: State,
  redirections: readonly Redirection[],
  targets: ReadonlyMap<number, string>,
  run: () => Promise<T>,
): Promise<T> {
  const streams = state.sandboxStreams;
  if (redirections.length === 0 || streams === undefined) {
    return await run();
  }
  return await within(state, isMerged(streams.merged, redirections, targets), run);
}

/** `exec` with these redirections: they hold from now on. */
export function sandboxRerouted(
  { sandboxStreams: streams }: State,
  redirections: readonly Redirection[],
  targets: ReadonlyMap<number, string>,
): void {
  if (streams !== undefined) {
    streams.merged = isMerged(streams.merged, redirections, targets);
  }
}

/** Runs what has an output of its own, but not an error output of its own: a substitution, a part of a pipe. */
export function sandboxApart<T>(state: State, run: () => Promise<T>): Promise<T> {
  return within(state, false, run);
}

/** Runs what both outputs are piped of: `a |& b`. */
export function sandboxTogether<T>(state: State, run: () => Promise<T>): Promise<T> {
  return within(state, true, run);
}

async function within<T>({ sandboxStreams: streams }: State, merged: boolean, run: () => Promise<T>): Promise<T> {
  if (streams === undefined) {
    return await run();
  }
  const before = streams.merged;
  streams.merged = merged;
  try {
    return await run();
  } finally {
    streams.merged = before;
  }
}

function isMerged(
  before: boolean,
  redirections: readonly Redirection[],
  targets: ReadonlyMap<number, string>,
): boolean {
  const routes = new Map([
    [1, "out"],
    [2, before ? "out" : "error"],
  ]);
  redirections.forEach(({ operator, fd }, i) => {
    const target = targets.get(i);
    if (target === undefined) {
      return;
    }
    const known = STANDARD.get(target);
    const copied = operator === ">&" ? /^\d+/.exec(target)?.[0] : undefined;
    const from = copied === undefined ? known : Number(copied);
    const route = (from === undefined ? undefined : routes.get(from)) ?? `${from ?? "file"} ${i}`;
    const isBoth = operator.startsWith("&") || (operator === ">&" && typeof fd !== "number" && copied === undefined);
    for (const end of isBoth ? [1, 2] : operator.includes(">") ? [fd ?? 1] : []) {
      routes.set(end, route);
    }
  });
  return routes.get(1) === routes.get(2);
}

/** A command's result with its trace (`set -x`) before it: in the one text where both outputs go the same way, and the command's own goes nowhere else. */
export function sandboxTraced(
  { sandboxStreams }: State,
  redirections: readonly Redirection[],
  result: Counted,
  trace: string,
): Counted {
  if (sandboxStreams?.merged !== true || redirections.length > 0) {
    return { ...result, stderr: trace + result.stderr };
  }
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
  return { ...result, stdout: (isBytes ? latin1(encodeText(trace)) : trace) + result.stdout };
}

/**
 * A pipeline's result, as one text where both outputs go the same way.
 * @param first which of both was printed first
 */
export function sandboxJoined(state: State, result: Counted, first: "stdout" | "stderr"): Counted {
  if (result.stderr === "" || state.sandboxStreams?.merged !== true) {
    return result;
  }
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
  const stderr = isBytes ? latin1(encodeText(result.stderr)) : result.stderr;
  const counted = result.internalOutputAccounting;
  return {
    ...result,
    stdout: first === "stdout" ? result.stdout + stderr : stderr + result.stdout,
    stderr: "",
    internalOutputAccounting: { stdout: (counted?.stdout ?? 0) + (counted?.stderr ?? 0), stderr: 0 },
  };
}
