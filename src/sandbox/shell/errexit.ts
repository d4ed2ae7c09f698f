/** Owns after which commands `set -e` and the ERR trap look at the status, as bash has it; never ends a script. */
import type { Result, State } from "./inside.ts";
import { placed } from "./messages.ts";

/** What only hands on the status of its own last command, which was looked at itself. */
const COMPOUND = new Set(["If", "For", "CStyleFor", "While", "Until", "Case", "Group"]);

interface Pipeline {
  readonly commands: readonly { readonly type: string }[];
}

/** A command's redirections failed: what that gives, with its place. */
export function sandboxRefused(state: State, result: Result): Result {
  state.sandboxRefused = true;
  return { ...result, stderr: placed(state, state.currentLine, result.stderr) };
}

/** Whether a failed pipeline is a compound command, whose failures have been judged within it. One whose redirections failed is judged like any. */
export function sandboxJudged(state: State, pipeline: Pipeline | undefined): boolean {
  const isRefused = state.sandboxRefused === true;
  state.sandboxRefused = false;
  const [only, ...more] = pipeline?.commands ?? [];
  return only !== undefined && more.length === 0 && COMPOUND.has(only.type) && !isRefused;
}
