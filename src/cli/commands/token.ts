/** Owns `edge-skills token`: access tokens are made, listed and revoked; only their hashes are kept. */
import { Option } from "commander";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { FIRST_TOKEN_ID, isScope, SCOPES, type Scope } from "../../model/token.ts";
import type { CommandContext, CommandSpec, ExitStatus, Flags } from "../command.ts";
import { putFirstToken, removeFirstToken } from "../first-token.ts";
import { CHANNEL_FLAG, channelFlag, isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG, textFlag } from "../flags.ts";
import { withTokens } from "../with-tokens.ts";

export const TOKEN_SCOPES_FLAG = new Option(
  "--scopes <list>",
  `what it may do, by commas: ${SCOPES.join(", ")}`,
).default("read,run");
const FIRST_FLAG = new Option(
  "--first",
  "of a deployed edge that has no token yet: a platform token of the scope admin, whose hash becomes a secret of the Worker",
);
const COMMON = [TENANT_FLAG, ...TARGET_FLAGS, JSON_FLAG];

export const tokenCreate: CommandSpec = {
  name: "token create",
  summary: "make an access token; it is shown once",
  arguments: [],
  options: [TOKEN_SCOPES_FLAG, CHANNEL_FLAG, FIRST_FLAG, ...COMMON],
  examples: [
    "token create --tenant tenant-a",
    "token create --scopes admin",
    "token create --first --target production",
    "token create --tenant acme --scopes read,deploy --target https://skills.example.com",
  ],
  async run(_args, flags, context) {
    if (isOn(flags, "first")) {
      return createFirst(flags, context);
    }
    const scopes = parseScopes(textFlag(flags, "scopes"));
    const channel = channelFlag(flags);
    const { id, tenant, token } = await withTokens(flags, context, (tokens) => tokens.create(scopes, channel));
    if (isOn(flags, "json")) {
      context.terminal.json({ id, token });
      return 0;
    }
    context.terminal.say(
      `Token ${id} for ${tenant}, scopes ${scopes.join(", ")}, channel ${channel}. It is not shown again:`,
    );
    context.terminal.result(token);
    return 0;
  },
};

export const tokenList: CommandSpec = {
  name: "token list",
  summary: "list the tokens of a tenant, without their secrets",
  arguments: [],
  options: COMMON,
  examples: ["token list --tenant tenant-a"],
  async run(_args, flags, context) {
    const { whose, tokens } = await withTokens(flags, context, async (all) => ({
      whose: all.whose,
      tokens: await all.list(),
    }));
    if (isOn(flags, "json")) {
      context.terminal.json({ tokens });
      return 0;
    }
    for (const { id, scopes, channel, created_at } of tokens) {
      context.terminal.result(`${id}  ${scopes.join(",")}  ${channel}  ${created_at}`);
    }
    context.terminal.say(`${counted(tokens.length, "token")} of ${whose}`);
    return 0;
  },
};

export const tokenRevoke: CommandSpec = {
  name: "token revoke",
  summary: "revoke a token; it stops working within 10 seconds",
  arguments: [["<id>", "the token's id, as `token list` shows it; `first` for the first token of a deployed edge"]],
  options: COMMON,
  examples: ["token revoke 0b9ff1c2-… --tenant tenant-a"],
  async run([id], flags, context) {
    if (id === FIRST_TOKEN_ID) {
      return revokeFirst(flags, context);
    }
    await withTokens(flags, context, async (tokens) => {
      if (!(await tokens.revoke(String(id)))) {
        throw new SkillsError("token-unknown", `Cannot revoke token "${id}": ${tokens.whose} has none with this id`);
      }
    });
    if (isOn(flags, "json")) {
      context.terminal.json({ id, revoked: true });
    }
    context.terminal.say(`Revoked ${id}.`);
    return 0;
  },
};

async function createFirst(flags: Flags, context: CommandContext): Promise<ExitStatus> {
  const { terminal } = context;
  const { id, token } = await putFirstToken(flags, context);
  if (isOn(flags, "json")) {
    terminal.json({ id, token });
    return 0;
  }
  terminal.say("The first token, for the platform, with the scope admin. It is not shown again:");
  terminal.result(token);
  terminal.say("Make others with it, then end it: edge-skills token revoke first --target …");
  return 0;
}

async function revokeFirst(flags: Flags, context: CommandContext): Promise<ExitStatus> {
  if (!(await removeFirstToken(flags, context))) {
    throw new SkillsError("token-unknown", "Cannot revoke the first token: the Worker has none");
  }
  if (isOn(flags, "json")) {
    context.terminal.json({ id: FIRST_TOKEN_ID, revoked: true });
  }
  context.terminal.say("Revoked the first token.");
  return 0;
}

/** The scopes that `--scopes` names. Throws `usage`. */
export function parseScopes(text: string): Scope[] {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const unknown = words.filter((word) => !isScope(word));
  if (words.length === 0 || unknown.length > 0) {
    throw new SkillsError("usage", `Cannot use scopes "${text}": known are ${SCOPES.join(", ")}`);
  }
  return words.filter(isScope);
}
