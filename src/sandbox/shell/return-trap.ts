/** Owns the RETURN trap: what is called when a function or a sourced file is over; never other traps. */
import type { Context, Result, State } from "./inside.ts";

type ReturnError = Error & Result;

/**
 * Runs a function's body or a sourced file, and then the trap that is set by then. A function does not take one over from its caller, unless
 * `set -T`; what it sets itself stays.
 */
export async function sandboxReturn<Script>(
  ctx: Context<Script>,
  kind: "function" | "source",
  run: () => Promise<Result>,
  parse: (text: string) => Script,
): Promise<Result> {
  const { state } = ctx;
  const callers = kind === "source" || state.options.functrace === true ? undefined : takeTrap(state);
  try {
    const ended = await run();
    return await handled(ctx, ended, parse);
  } catch (error) {
    if (!isReturn(error) || handlerOf(state) === null) {
      throw error;
    }
    const { stdout, stderr, exitCode } = error;
    return await handled(ctx, { stdout, stderr, exitCode }, parse);
  } finally {
    if (callers !== undefined && state.sandboxTraps?.has("RETURN") === false) {
      state.sandboxTraps.set("RETURN", callers);
    }
  }
}

function takeTrap({ sandboxTraps }: State): string | undefined {
  const command = sandboxTraps?.get("RETURN");
  sandboxTraps?.delete("RETURN");
  return command;
}

function handlerOf({ sandboxTraps }: State): string | null {
  return sandboxTraps?.get("RETURN") || null;
}

/** The outcome with what the trap prints behind it; its status stays. */
async function handled<Script>(ctx: Context<Script>, ended: Result, parse: (text: string) => Script): Promise<Result> {
  const { state } = ctx;
  const handler = handlerOf(state);
  if (handler === null || state.sandboxReturning === true) {
    return ended;
  }
  const status = state.lastExitCode;
  state.sandboxReturning = true;
  try {
    const { stdout, stderr } = await ctx.executeScript(parse(handler));
    return { ...ended, stdout: ended.stdout + stdout, stderr: ended.stderr + stderr };
  } catch (error) {
    if (error instanceof Error && "prependOutput" in error) {
      (error as Error & { prependOutput(stdout: string, stderr: string): void }).prependOutput(
        ended.stdout,
        ended.stderr,
      );
    }
    throw error;
  } finally {
    state.sandboxReturning = false;
    state.lastExitCode = status;
    state.env.set("?", String(status));
  }
}

function isReturn(error: unknown): error is ReturnError {
  return error instanceof Error && error.name === "ReturnError";
}
