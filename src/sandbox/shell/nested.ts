/** Owns how deep scripts in scripts go that no function is called for: `eval`, handlers of signals; never functions, which just-bash counts. */
import type { Context, Result } from "./inside.ts";

/** As for functions. */
const MOST_NESTED = 200;

/** Throws just-bash's error of a limit. */
export type Refuse = (message: string, limit: "recursion") => never;

/** Runs a script inside of another one. */
export async function sandboxNested<Script>(
  ctx: Context<Script>,
  name: string,
  script: Script,
  refuse: Refuse,
): Promise<Result> {
  const { state } = ctx;
  const depth = state.sandboxDepth ?? 0;
  if (depth >= MOST_NESTED) {
    refuse(`${name}: maximum recursion depth (${MOST_NESTED}) exceeded`, "recursion");
  }
  state.sandboxDepth = depth + 1;
  try {
    return await ctx.executeScript(script);
  } finally {
    state.sandboxDepth = depth;
  }
}
