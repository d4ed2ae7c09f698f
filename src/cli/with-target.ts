/** Owns opening what `--target` names for one command, and closing it whatever happens. */
import { resolve } from "node:path";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { DeployTarget } from "../deploy/target.ts";
import { SkillsError } from "../model/errors.ts";
import type { CommandContext, Flags } from "./command.ts";
import { targetedEdge } from "./edge-address.ts";
import { TARGET_FLAG, textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";
import { openCloudflare } from "./open-cloudflare.ts";
import { readSettings } from "./settings.ts";

const LOCAL = TARGET_FLAG.defaultValue;

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
  const name = textFlag(flags, "target") || LOCAL;
  if (name !== LOCAL && targetedEdge(flags, context) !== null) {
    throw new SkillsError("usage", `Cannot do this over "${name}": an edge does not offer it`);
  }
  const target =
    name === LOCAL
      ? await openTarget(textFlag(flags, "state"), context)
      : await openCloudflare(
          name,
          readSettings(flags, context).config.targets,
          resolve(context.cwd, textFlag(flags, "state")),
          context,
        );
  try {
    return await unlessAborted(context.signal, use(target));
  } finally {
    await target.close();
  }
}
