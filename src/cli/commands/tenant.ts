/** Owns `edge-skills tenant`: tenants are made by name, listed, suspended and let in again. */
import type { TenantFacts } from "../../model/tenant.ts";
import type { CommandSpec } from "../command.ts";
import { isOn, JSON_FLAG, TARGET_FLAGS } from "../flags.ts";
import { withEdgeApi } from "../with-edge.ts";

const COMMON = [...TARGET_FLAGS, JSON_FLAG];
const NAME = ["<name>", "the tenant"] as const;

export const tenantCreate: CommandSpec = {
  name: "tenant create",
  summary: "write a tenant's name down; `token create --tenant` then lets somebody in",
  arguments: [NAME],
  options: COMMON,
  examples: ["tenant create acme", "tenant create acme --target https://skills.example.com"],
  async run([name], flags, context) {
    const made = await withEdgeApi(flags, context, (edge) => edge.ask("POST", "/v1/tenants", { name }));
    if (isOn(flags, "json")) {
      context.terminal.json(made);
    }
    context.terminal.say(`Made tenant ${name}. Next: edge-skills token create --tenant ${name}`);
    return 0;
  },
};

export const tenantList: CommandSpec = {
  name: "tenant list",
  summary: "list the tenants that were made, have a layer, or settings of their own",
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
    context.terminal.say(`${tenants.length} tenants`);
    return 0;
  },
};

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
      const answer = await withEdgeApi(flags, context, (edge) => edge.ask("POST", path));
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
