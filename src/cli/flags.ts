/** Owns the flags that several commands share, and reading them as what they are. */
import { Option } from "commander";
import { DEFAULT_STATE_DIRECTORY } from "../deploy/local-platform.ts";
import { SkillsError } from "../model/errors.ts";
import { isChannelName, isTenantName } from "../model/layer.ts";
import type { Flags } from "./command.ts";

export const JSON_FLAG = new Option("--json", "print one JSON document on standard output");
export const STATE_FLAG = new Option("--state <dir>", "directory of the local state").default(DEFAULT_STATE_DIRECTORY);
export const CONFIG_FLAG = new Option("--config <file>", "settings").default("edge-skills.json");
export const CHANNEL_FLAG = new Option("--channel <name>", "which channel").default("live");
export const TENANT_FLAG = new Option("--tenant <name>", "which tenant");
export const TARGET_FLAG = new Option(
  "--target <target>",
  "where to: local, cloudflare, an edge's address (https://…), or a name from the settings' targets",
).default("local");
/** The flags of every command that works on a target. */
export const TARGET_FLAGS = [TARGET_FLAG, STATE_FLAG, CONFIG_FLAG] as const;

/** Flags that the environment may set, over the settings file; a flag that is given counts more. */
export const ENVIRONMENT = {
  state: "EDGE_SKILLS_STATE",
  config: "EDGE_SKILLS_CONFIG_FILE",
  channel: "EDGE_SKILLS_CHANNEL",
  tenant: "EDGE_SKILLS_TENANT",
  target: "EDGE_SKILLS_TARGET",
  wheels: "EDGE_SKILLS_WHEELS",
} as const;

export const DRY_RUN_FLAG = new Option("--dry-run", "say what would be done, and do nothing");

/** The argument of commands that read skills. */
export const DIRECTORIES = [
  "[dir...]",
  "directories of skills; platform/ and tenants/<name>/ below one are layers; default skills-bundle",
] as const;

/** A flag's text; flags with a default always have one. */
export function textFlag(flags: Flags, name: string): string {
  const value = flags[name];
  return typeof value === "string" ? value : "";
}

/** A flag's text, or null when it was not given. */
export function optionalText(flags: Flags, name: string): string | null {
  const value = flags[name];
  return typeof value === "string" ? value : null;
}

/** Whether a flag without a value was given. */
export function isOn(flags: Flags, name: string): boolean {
  return flags[name] === true;
}

/** The channel that is meant. Throws `usage` for what cannot name one. */
export function channelFlag(flags: Flags): string {
  const channel = textFlag(flags, "channel");
  if (!isChannelName(channel)) {
    throw new SkillsError(
      "usage",
      `Cannot use channel "${channel}": lower-case letters, digits and hyphens make a channel's name`,
    );
  }
  return channel;
}

/** The tenant that is meant, or null. Throws `usage` for what cannot name one. */
export function tenantFlag(flags: Flags): string | null {
  const tenant = optionalText(flags, "tenant");
  if (tenant !== null && !isTenantName(tenant)) {
    throw new SkillsError(
      "usage",
      `Cannot use tenant "${tenant}": lower-case letters, digits and hyphens make a tenant's name`,
    );
  }
  return tenant;
}

/** A whole number that is not negative, or null when it was not given. Throws `usage`. */
export function numberFlag(flags: Flags, name: string): number | null {
  const text = optionalText(flags, name);
  if (text === null) {
    return null;
  }
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) {
    throw new SkillsError("usage", `Cannot use --${name} "${text}": a whole number is needed`);
  }
  return value;
}
