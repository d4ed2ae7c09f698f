/** Owns `edge-skills tenant`: tenants are made by name, listed, suspended, let in again and deleted. */

import { Option } from "commander";
import type { EdgeApi } from "../../deploy/edge/edge-api.ts";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import type { TenantFacts } from "../../model/tenant.ts";
import type { Scope } from "../../model/token.ts";
import type { CommandSpec } from "../command.ts";
import { confirm, YES_FLAG } from "../confirm.ts";
import { DRY_RUN_FLAG, isOn, JSON_FLAG, TARGET_FLAG, TARGET_FLAGS, textFlag } from "../flags.ts";
import { knownTenant } from "../known-tenant.ts";
import { withEdgeApi } from "../with-edge.ts";
import { parseScopes, TOKEN_SCOPES_FLAG } from "./token.ts";

const TOKEN_FLAG = new Option("--token", "make a first token for it, too, with --scopes; it is shown once");
const COMMON = [...TARGET_FLAGS, JSON_FLAG];
const NAME = ["<name>", "the tenant"] as const;

export const tenantCreate: CommandSpec = {
  name: "tenant create",
  summary: "write a tenant's name down; with --token, or `token create --tenant` later, somebody is let in",
  arguments: [NAME],
  options: [TOKEN_FLAG, TOKEN_SCOPES_FLAG, ...COMMON],
  examples: [
    "tenant create acme",
    "tenant create acme --token --scopes read,run,deploy",
    "tenant create acme --target https://skills.example.com",
  ],
  async run([name], flags, context) {
    const scopes = isOn(flags, "token") ? parseScopes(textFlag(flags, "scopes")) : null;
    const { made, token } = await withEdgeApi(flags, context, async (edge) => ({
      made: await edge.ask("POST", "/v1/tenants", { name }),
      token: scopes === null ? null : await firstToken(edge, String(name), scopes),
    }));
    if (isOn(flags, "json")) {
      context.terminal.json(token === null ? made : { ...made, token });
      return 0;
    }
    if (token === null) {
      const target = textFlag(flags, "target");
      const there = target === TARGET_FLAG.defaultValue ? "" : ` --target ${target}`;
      context.terminal.say(`Made tenant ${name}. Next: edge-skills token create --tenant ${name}${there}`);
      return 0;
    }
    context.terminal.say(`Made tenant ${name}, and token ${token.id} for it. It is not shown again:`);
    context.terminal.result(token.token);
    return 0;
  },
};

/** The tenant is made by then: what goes wrong says so. */
async function firstToken(edge: EdgeApi, name: string, scopes: readonly Scope[]) {
  try {
    const { id, token } = await edge.ask("POST", `/v1/tokens?tenant=${encodeURIComponent(name)}`, { scopes });
    return { id: String(id), token: String(token) };
  } catch (error) {
    throw SkillsError.is(error)
      ? new SkillsError(error.code, `Made tenant ${name}, but no token: ${error.message}`, {
          cause: error,
          hint: `edge-skills token create --tenant ${name}`,
        })
      : error;
  }
}

export const tenantList: CommandSpec = {
  name: "tenant list",
  summary: "list the tenants that were made, or have a layer, settings, or had a token, secret or run-time skill",
  arguments: [],
  options: COMMON,
  examples: ["tenant list", "tenant list --json"],
  async run(_args, flags, context) {
    const { tenants } = (await withEdgeApi(flags, context, (edge) => edge.ask("GET", "/v1/tenants"))) as {
      tenants: readonly TenantFacts[];
    };
    if (isOn(flags, "json")) {
      context.terminal.json({ tenants });
      return 0;
    }
    for (const { name, suspended, created_at, channels } of tenants) {
      const state = suspended ? "suspended" : "active";
      context.terminal.result(`${name}  ${state}  ${created_at ?? "-"}  ${channels.join(" ") || "-"}`);
    }
    context.terminal.say(counted(tenants.length, "tenant"));
    return 0;
  },
};

export const tenantDelete: CommandSpec = {
  name: "tenant delete",
  summary: "remove all of a tenant for good: tokens, secrets, approvals, its layer, skills put at run time",
  arguments: [NAME],
  options: [YES_FLAG, DRY_RUN_FLAG, ...COMMON],
  examples: ["tenant delete acme --dry-run", "tenant delete acme --yes --target https://skills.example.com"],
  async run([name], flags, context) {
    const path = `/v1/tenants/${encodeURIComponent(String(name))}`;
    const isDry = isOn(flags, "dryRun");
    const answer = await withEdgeApi(flags, context, async (edge) => {
      const would = await whatGoes(edge, String(name));
      const { tokens, secrets, channels } = would;
      context.terminal.say(
        `Of ${name} go ${counted(tokens, "token")}, ${counted(secrets, "secret")}, channels: ${channels.join(" ") || "none"}, approvals, skills put at run time.`,
      );
      if (isDry) {
        return { name, removed: would };
      }
      await confirm(flags, context, `Remove all of ${name} for good?`);
      return edge.ask("DELETE", path);
    });
    if (isOn(flags, "json")) {
      context.terminal.json({ ...answer, dry_run: isDry });
    }
    context.terminal.say(
      isDry ? "Nothing was removed." : `Removed ${name}. \`edge-skills prune\` removes its bundles' bytes.`,
    );
    return 0;
  },
};

async function whatGoes(edge: EdgeApi, name: string) {
  const query = `?tenant=${encodeURIComponent(name)}`;
  const { channels } = await knownTenant(edge, name, "delete");
  const { tokens } = (await edge.ask("GET", `/v1/tokens${query}`)) as { tokens: readonly unknown[] };
  const { secrets } = (await edge.ask("GET", `/v1/secrets${query}`)) as { secrets: readonly unknown[] };
  return { tokens: tokens.length, secrets: secrets.length, channels };
}

/** `tenant suspend` and `tenant resume`. */
function switching(word: "suspend" | "resume", summary: string, done: string): CommandSpec {
  return {
    name: `tenant ${word}`,
    summary,
    arguments: [NAME],
    options: COMMON,
    examples: [`tenant ${word} acme`, `tenant ${word} acme --target https://skills.example.com`],
    async run([name], flags, context) {
      const path = `/v1/tenants/${encodeURIComponent(String(name))}/${word}`;
      const answer = await withEdgeApi(flags, context, async (edge) => {
        await knownTenant(edge, String(name), word);
        return edge.ask("POST", path);
      });
      if (isOn(flags, "json")) {
        context.terminal.json(answer);
      }
      context.terminal.say(`${name} ${done}`);
      return 0;
    },
  };
}

export const tenantSuspend = switching(
  "suspend",
  "let nobody of a tenant in: within 10 seconds all of its tokens are refused, and nothing of it runs",
  "is suspended: within 10 seconds its tokens are refused.",
);

export const tenantResume = switching(
  "resume",
  "let a suspended tenant in again",
  "is let in again, within 10 seconds.",
);
