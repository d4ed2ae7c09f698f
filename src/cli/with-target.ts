/** Owns opening what `--target` names for one command, and closing it whatever happens. */
import { resolve } from "node:path";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { DeployTarget } from "../deploy/target.ts";
import type { CommandContext, Flags } from "./command.ts";
import { textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";

/** Opens the local target over a state directory. */
export async function openTarget(
  state: string,
  { cwd, startPlatform }: Pick<CommandContext, "cwd" | "startPlatform">,
): Promise<DeployTarget> {
  return createLocalTarget(await startPlatform({ state: resolve(cwd, state) }), state);
}

/** Runs something with the target a command was pointed at. */
export async function withTarget<T>(
  flags: Flags,
  context: CommandContext,
  use: (target: DeployTarget) => Promise<T>,
): Promise<T> {
  const target = await openTarget(textFlag(flags, "state"), context);
  try {
    return await unlessAborted(context.signal, use(target));
  } finally {
    await target.close();
  }
}
