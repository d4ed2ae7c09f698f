/** Owns asking the edge that a command's `--target` means, whichever it is, for commands that have one way for all of them: HTTP. */
import { resolve } from "node:path";
import { createEdgeApi, type EdgeApi } from "../deploy/edge/edge-api.ts";
import { createLocalTarget } from "../deploy/local-target.ts";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, PLATFORM_LAYER } from "../model/layer.ts";
import type { CommandContext, Flags } from "./command.ts";
import { edgeOverTarget } from "./edge-address.ts";
import { TARGET_FLAG, textFlag } from "./flags.ts";
import { unlessAborted } from "./interrupt.ts";
import { IssuedTokens } from "./issued-tokens.ts";
import { allowedBySettings, logTeller } from "./log-lines.ts";
import { readSettings } from "./settings.ts";
import { withState } from "./state-lock.ts";
import { openTarget } from "./with-target.ts";

/**
 * Runs something with an edge to ask. An address, a target of `"type": "edge"`, or a Cloudflare target with a `url`: that edge, with the token
 * of the environment, whose scopes and tenant count. `local`: an edge over the state directory, started for this command, with a platform token
 * of the scope `admin` that ends with it. Throws `usage` for a Cloudflare target that does not say where its edge is, `credentials-invalid`.
 */
export async function withEdgeApi<T>(
  flags: Flags,
  context: CommandContext,
  use: (edge: EdgeApi) => Promise<T>,
): Promise<T> {
  const name = textFlag(flags, "target") || TARGET_FLAG.defaultValue;
  if (name === TARGET_FLAG.defaultValue) {
    const state = resolve(context.cwd, textFlag(flags, "state"));
    return withState(state, context.command, () => withLocalEdge(flags, context, use));
  }
  const address = edgeOverTarget(flags, context);
  if (address === null) {
    throw new SkillsError("usage", `Cannot ask the edge over "${name}": the settings do not say where it answers`, {
      hint: `edge-skills.json: { "targets": { "${name}": { "url": "https://…" } } }, or --target https://…`,
    });
  }
  return unlessAborted(context.signal, use(createEdgeApi(address, context.signal)));
}

async function withLocalEdge<T>(flags: Flags, context: CommandContext, use: (edge: EdgeApi) => Promise<T>): Promise<T> {
  const state = textFlag(flags, "state");
  const { text } = readSettings(flags, context);
  const platform = await context.startPlatform({
    state: resolve(context.cwd, state),
    ...(text === null ? {} : { config: text }),
    onLog: logTeller(context.terminal, allowedBySettings),
  });
  const target = await createLocalTarget(platform, state);
  const tokens = new IssuedTokens(target, DEFAULT_CHANNEL);
  try {
    const token = await tokens.issue(PLATFORM_LAYER, ["admin"]);
    const edge = createEdgeApi({ name: target.name, url: platform.url, token }, context.signal);
    return await unlessAborted(context.signal, use(edge));
  } finally {
    await tokens.revoke(() => openTarget(state, context)).finally(() => target.close());
  }
}
