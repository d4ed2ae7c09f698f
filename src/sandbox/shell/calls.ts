/** Owns where functions were called from, as `caller` tells it; never calls one. */
import { type Context, NOTHING, type Result } from "./inside.ts";

/** `caller [N]`: line and file, and with a number the function between them. */
export function sandboxCaller({ state }: Context, args: readonly string[]): Result {
  const depth = Number(args[0] ?? 0);
  const functions = [...(state.funcNameStack ?? []), "main"];
  const line = state.callLineStack?.[depth];
  const file = state.sourceStack?.[depth + 1];
  if (line === undefined || !Number.isInteger(depth)) {
    return { ...NOTHING, exitCode: 1 };
  }
  const words = args.length === 0 ? [line, file] : [line, functions[depth + 1], file];
  return { ...NOTHING, stdout: `${words.join(" ")}\n` };
}
