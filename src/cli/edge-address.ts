/** Owns what flags, settings and environment say of an edge to ask: its address and its token. Asks nothing; never tells a token. */
import { type EdgeAddress, edgeUrl } from "../deploy/edge/edge-api.ts";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { addressOf } from "../model/token.ts";
import type { CommandContext, Flags } from "./command.ts";
import { tenantFlag, textFlag } from "./flags.ts";
import { readSettings } from "./settings.ts";

const ANY_ADDRESS = /^https?:\/\//i;

/** Tells whether a text is meant as the address of an edge. */
export function isAddress(text: string): boolean {
  return ANY_ADDRESS.test(text);
}

/**
 * The edge that `--target` names: an address, or a target of the settings with `"type": "edge"`; null for any other target. Throws `usage` for an
 * address that cannot be used, `config-invalid` for a target without one, `credentials-invalid` without a token.
 */
export function targetedEdge(flags: Flags, context: CommandContext): EdgeAddress | null {
  const target = textFlag(flags, "target");
  if (isAddress(target)) {
    return edgeAt(target, context);
  }
  const place = readSettings(flags, context).config.targets.get(target);
  return place?.type === "edge" ? namedEdge(target, place.url, context) : null;
}

/** The tenant that is meant: that of `--tenant`, else the one whose token an edge is asked with; null where that is the platform. */
export function meantTenant(flags: Flags, context: CommandContext): string | null {
  const edge = targetedEdge(flags, context);
  const own = edge === null ? null : addressOf(edge.token);
  return tenantFlag(flags) ?? (own === PLATFORM_LAYER ? null : own);
}

/** The edge of {@link targetedEdge}, or the edge over a Cloudflare target whose settings say where it is (`url`). */
export function edgeOverTarget(flags: Flags, context: CommandContext): EdgeAddress | null {
  const target = textFlag(flags, "target");
  const url = readSettings(flags, context).config.targets.get(target)?.url ?? null;
  return targetedEdge(flags, context) ?? (url === null ? null : namedEdge(target, url, context));
}

/** The edge at an address. Throws `usage`, `credentials-invalid`. */
export function edgeAt(address: string, { env }: Pick<CommandContext, "env">): EdgeAddress {
  const url = edgeUrl(address);
  return { name: url.href, url, token: tokenFor(url.href, ["EDGE_SKILLS_TOKEN"], env) };
}

function namedEdge(name: string, address: string | null, { env }: Pick<CommandContext, "env">): EdgeAddress {
  if (address === null) {
    throw new SkillsError("config-invalid", `Cannot use target "${name}": its settings have no "url"`, {
      hint: `edge-skills.json: { "targets": { "${name}": { "type": "edge", "url": "https://…" } } }`,
    });
  }
  const own = `EDGE_SKILLS_TOKEN_${name.toUpperCase().replaceAll("-", "_")}`;
  return { name, url: edgeUrl(address), token: tokenFor(name, [own, "EDGE_SKILLS_TOKEN"], env) };
}

/** What the first of some variables says that says anything. */
function tokenFor(name: string, variables: readonly string[], env: CommandContext["env"]): string {
  const token = variables.map((variable) => env[variable] ?? "").find((value) => value !== "");
  if (token === undefined || /\s/.test(token)) {
    const problem = token === undefined ? "is not set" : "is no token: it has blanks";
    throw new SkillsError("credentials-invalid", `Cannot ask ${name}: ${variables.join(" or ")} ${problem}`, {
      hint: "export EDGE_SKILLS_TOKEN=es_…; the edge's operator makes one with `edge-skills token create`",
    });
  }
  return token;
}
