/** Owns opening what `--target` names for one command, and closing it whatever happens. */
import { resolve } from "node:path";
import { startLocalPlatform } from "../deploy/local-platform.ts";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { DeployTarget } from "../deploy/target.ts";
import type { CommandContext, Flags } from "./command.ts";
import { textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";

/** Runs something with the target a command was pointed at. */
export async function withTarget<T>(
  flags: Flags,
  { cwd, signal }: CommandContext,
  use: (target: DeployTarget) => Promise<T>,
): Promise<T> {
  const state = textFlag(flags, "state");
  const platform = await startLocalPlatform({ state: resolve(cwd, state) });
  const target = await createLocalTarget(platform, state);
  try {
    return await unlessAborted(signal, use(target));
  } finally {
    await target.close();
  }
}
