/** Owns the first token of a deployed edge: it is made here, and only its hash goes to Cloudflare, as a secret of the Worker. */
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { FIRST_TOKEN_ID, FIRST_TOKEN_SECRET, hashToken, newToken } from "../model/token.ts";
import type { CommandContext, Flags } from "./command.ts";
import { isAddress } from "./edge-address.ts";
import { TARGET_FLAG, textFlag } from "./flags.ts";
import { openWorkerSecrets } from "./open-cloudflare.ts";
import { readSettings } from "./settings.ts";

/** Makes the first token, in place of one that was there. Throws `usage` for a target that is no Cloudflare account. */
export async function putFirstToken(
  flags: Flags,
  context: CommandContext,
): Promise<{ readonly id: string; readonly token: string }> {
  const token = newToken(PLATFORM_LAYER);
  await (await secretsOf(flags, context)).put(FIRST_TOKEN_SECRET, await hashToken(token));
  return { id: FIRST_TOKEN_ID, token };
}

/** Removes it; tells whether there was one. Throws as {@link putFirstToken} does. */
export async function removeFirstToken(flags: Flags, context: CommandContext): Promise<boolean> {
  return (await secretsOf(flags, context)).remove(FIRST_TOKEN_SECRET);
}

async function secretsOf(flags: Flags, context: CommandContext) {
  const target = textFlag(flags, "target");
  const { targets } = readSettings(flags, context).config;
  if (target === TARGET_FLAG.defaultValue || isAddress(target) || targets.get(target)?.type === "edge") {
    throw new SkillsError(
      "usage",
      `Cannot work on the first token of "${target}": it is a secret of a Worker at Cloudflare`,
      {
        hint: "name the Cloudflare target: --target production; a local edge needs no first token",
      },
    );
  }
  return openWorkerSecrets(target, targets, context);
}
