/** Owns `edge-skills secret`: what network rules and functions are to send is put, listed by name and removed. A value is never shown. */
import process from "node:process";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { isSecretName, type SecretFacts } from "../../model/secret.ts";
import type { CommandSpec, Flags } from "../command.ts";
import { isOn, JSON_FLAG, TARGET_FLAGS, TENANT_FLAG, tenantFlag } from "../flags.ts";
import { readSecret } from "../secret-input.ts";
import { withEdgeApi } from "../with-edge.ts";

const COMMON = [TENANT_FLAG, ...TARGET_FLAGS, JSON_FLAG];
const NAME = ["<name>", "what the rule calls it"] as const;

export const secretPut: CommandSpec = {
  name: "secret put",
  summary: "keep a secret for network rules, from standard input or asked for; one of its name is replaced at once",
  arguments: [NAME],
  options: COMMON,
  examples: [
    "secret put github < token.txt",
    "secret put github --tenant acme",
    "secret put github --target https://skills.example.com < token.txt",
  ],
  async run([given], flags, context) {
    const path = pathOf(String(given), flags);
    const value = await readSecret(process.stdin, context.terminal, `Secret ${given}, which is not shown:`);
    await withEdgeApi(flags, context, (edge) => edge.ask("PUT", path, { value }));
    if (isOn(flags, "json")) {
      context.terminal.json({ name: given, put: true });
    }
    context.terminal.say(`Put ${given}.`);
    return 0;
  },
};

export const secretList: CommandSpec = {
  name: "secret list",
  summary: "list the secrets of a tenant (or of the platform) by name, never what they hold",
  arguments: [],
  options: COMMON,
  examples: ["secret list --tenant acme"],
  async run(_args, flags, context) {
    const { secrets } = (await withEdgeApi(flags, context, (edge) => edge.ask("GET", pathOf(null, flags)))) as {
      secrets: readonly SecretFacts[];
    };
    if (isOn(flags, "json")) {
      context.terminal.json({ secrets });
      return 0;
    }
    for (const { name, put_at } of secrets) {
      context.terminal.result(`${name}  ${put_at}`);
    }
    context.terminal.say(counted(secrets.length, "secret"));
    return 0;
  },
};

export const secretRemove: CommandSpec = {
  name: "secret rm",
  summary: "forget a secret; requests of rules that name it are refused from then on",
  arguments: [NAME],
  options: COMMON,
  examples: ["secret rm github --tenant acme"],
  async run([given], flags, context) {
    const path = pathOf(String(given), flags);
    await withEdgeApi(flags, context, (edge) => edge.ask("DELETE", path));
    if (isOn(flags, "json")) {
      context.terminal.json({ name: given, removed: true });
    }
    context.terminal.say(`Removed ${given}.`);
    return 0;
  },
};

/** The route of a secret, or of all of them; without `--tenant` those of whoever asks. Throws `usage`. */
function pathOf(name: string | null, flags: Flags): string {
  if (name !== null && !isSecretName(name)) {
    throw new SkillsError(
      "usage",
      `Cannot use "${name}" as a secret's name: a letter, then letters, digits, _, - and ., 64 at most`,
    );
  }
  const tenant = tenantFlag(flags);
  return `/v1/secrets${name === null ? "" : `/${name}`}${tenant === null ? "" : `?tenant=${tenant}`}`;
}
