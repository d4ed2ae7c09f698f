/** Owns opening what `--target` names for one command, and closing it whatever happens. */
import { resolve } from "node:path";
import { DEFAULT_PATIENCE } from "../deploy/cloudflare/patience.ts";
import { createEdgeApi } from "../deploy/edge/edge-api.ts";
import { openEdgeTarget } from "../deploy/edge/edge-target.ts";
import { createLocalTarget } from "../deploy/local-target.ts";
import type { DeployTarget } from "../deploy/target.ts";
import type { CommandContext, Flags } from "./command.ts";
import { targetedEdge } from "./edge-address.ts";
import { TARGET_FLAG, textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";
import { openCloudflare } from "./open-cloudflare.ts";
import { pauseTeller } from "./pause-teller.ts";
import { readSettings } from "./settings.ts";
import { withState } from "./state-lock.ts";

const LOCAL = TARGET_FLAG.defaultValue;

/** Opens the local target over a state directory. */
export async function openTarget(
  state: string,
  { cwd, startPlatform }: Pick<CommandContext, "cwd" | "startPlatform">,
): Promise<DeployTarget> {
  return createLocalTarget(await startPlatform({ state: resolve(cwd, state) }), state);
}

/** Opens a target that is not here: an edge, or a Cloudflare account. */
async function openAway(name: string, flags: Flags, context: CommandContext): Promise<DeployTarget> {
  const address = targetedEdge(flags, context);
  if (address !== null) {
    const patience = { ...DEFAULT_PATIENCE, onPause: pauseTeller(context.terminal) };
    return openEdgeTarget(createEdgeApi(address, context.signal), patience);
  }
  const { targets } = readSettings(flags, context).config;
  return openCloudflare(name, targets, resolve(context.cwd, textFlag(flags, "state")), context);
}

/** Runs something with the target a command was pointed at. */
export async function withTarget<T>(
  flags: Flags,
  context: CommandContext,
  use: (target: DeployTarget) => Promise<T>,
): Promise<T> {
  const name = textFlag(flags, "target") || LOCAL;
  if (name !== LOCAL) {
    return useAndClose(await openAway(name, flags, context), context, use);
  }
  const state = textFlag(flags, "state");
  return withState(resolve(context.cwd, state), context.command, async () =>
    useAndClose(await openTarget(state, context), context, use),
  );
}

async function useAndClose<T>(
  target: DeployTarget,
  { signal }: CommandContext,
  use: (target: DeployTarget) => Promise<T>,
): Promise<T> {
  try {
    return await unlessAborted(signal, use(target));
  } finally {
    await target.close();
  }
}
