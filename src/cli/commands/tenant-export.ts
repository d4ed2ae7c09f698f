/** Owns `edge-skills tenant export`: what is a tenant's own, as an edge shows it, in a directory. No secret and no token's hash is in it. */

import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import type { EdgeApi } from "../../deploy/edge/edge-api.ts";
import { counted } from "../../model/counted.ts";
import { type ErrorCode, SkillsError } from "../../model/errors.ts";
import { RUNTIME_LAYER } from "../../model/layer.ts";
import { makeDirectory } from "../../pack/make-directory.ts";
import type { CommandSpec } from "../command.ts";
import { isOn, JSON_FLAG, TARGET_FLAGS, textFlag } from "../flags.ts";
import { knownTenant } from "../known-tenant.ts";
import { withEdgeApi } from "../with-edge.ts";

const TO_FLAG = new Option("--to <dir>", "a directory that is empty, or not there; default: the tenant's name").default(
  "",
);

interface ListedSkill {
  readonly name: string;
  readonly layer: string;
  readonly digest: string;
}

interface ReadSkill extends ListedSkill {
  /** Where it is written, in the directory. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

interface LeftOut extends ListedSkill {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Why a skill has no archive, or is not there any more. */
const NO_ARCHIVE: ReadonlySet<ErrorCode> = new Set([
  "archive-path-too-long",
  "archive-too-large",
  "archive-unsafe-path",
  "bundle-damaged",
  "file-blocked",
  "skill-blocked",
  "skill-not-found",
]);

export const tenantExport: CommandSpec = {
  name: "tenant export",
  summary: "write what is a tenant's own into a directory: its live skills as archives, and what is known of it",
  arguments: [["<name>", "the tenant"]],
  options: [TO_FLAG, ...TARGET_FLAGS, JSON_FLAG],
  examples: ["tenant export acme", "tenant export acme --to backup --target https://skills.example.com"],
  async run([given], flags, context) {
    const name = String(given);
    const directory = resolve(context.cwd, textFlag(flags, "to") || name);
    if (existsSync(directory) && readdirSync(directory).length > 0) {
      throw new SkillsError("output-exists", `Cannot export to "${directory}": it is not empty`);
    }
    const { facts, skills, leftOut } = await withEdgeApi(flags, context, async (edge) => ({
      facts: await factsOf(edge, name),
      ...(await readSkills(edge, name)),
    }));
    const document = { ...facts, skills: skills.map(({ bytes: _, ...skill }) => skill), left_out: leftOut };
    makeDirectory(directory);
    for (const { layer, file, bytes } of skills) {
      makeDirectory(join(directory, "skills", layer));
      writeFileSync(join(directory, file), bytes);
    }
    writeFileSync(join(directory, "tenant.json"), `${JSON.stringify(document, null, 2)}\n`);
    if (isOn(flags, "json")) {
      context.terminal.json(document);
    }
    for (const { name: skill, code, message } of leftOut) {
      context.terminal.say(`Left out ${skill}: ${code}: ${message}`);
    }
    context.terminal.say(`Wrote ${counted(skills.length, "skill")} of ${name} to ${directory}.`);
    return leftOut.length > 0 ? 1 : 0;
  },
};

/** What the operator may know. Throws `tenant-unknown`. */
async function factsOf(edge: EdgeApi, name: string) {
  const query = `?tenant=${encodeURIComponent(name)}`;
  const tenant = await knownTenant(edge, name, "export");
  const channels: unknown[] = [];
  for (const channel of tenant.channels) {
    const { bundle, history } = await edge.ask("GET", `/v1/deploys${query}&channel=${channel}`);
    channels.push({ channel, bundle, history });
  }
  const { tokens } = await edge.ask("GET", `/v1/tokens${query}`);
  const { secrets } = await edge.ask("GET", `/v1/secrets${query}`);
  return { name, created_at: tenant.created_at, channels, tokens, secrets };
}

/** The tenant's own skills, all read before anything is written. One that has no archive holds up no other. */
async function readSkills(edge: EdgeApi, tenant: string): Promise<{ skills: ReadSkill[]; leftOut: LeftOut[] }> {
  const skills: ReadSkill[] = [];
  const leftOut: LeftOut[] = [];
  for (const { name, layer, digest } of await skillsOf(edge, tenant)) {
    if (layer !== tenant && layer !== RUNTIME_LAYER) {
      continue;
    }
    try {
      const bytes = await edge.read(`/v1/skills/${encodeURIComponent(name)}/archive.zip?tenant=${tenant}`);
      skills.push({ name, layer, digest, file: join("skills", layer, `${name}.zip`), bytes });
    } catch (error) {
      if (!SkillsError.is(error) || !NO_ARCHIVE.has(error.code)) {
        throw error;
      }
      leftOut.push({ name, layer, digest, code: error.code, message: error.message });
    }
  }
  return { skills, leftOut };
}

/** As the edge lists them to the tenant's callers; the operator asks, so that a tenant that is suspended has them too. */
async function skillsOf(edge: EdgeApi, tenant: string): Promise<ListedSkill[]> {
  const all: ListedSkill[] = [];
  for (let more = ""; ; ) {
    const page = await edge.ask("GET", `/v1/skills?limit=1000&tenant=${tenant}${more}`);
    all.push(...(page.skills as ListedSkill[]));
    const { next_cursor: next } = page;
    if (typeof next !== "string") {
      return all;
    }
    more = `&cursor=${encodeURIComponent(next)}`;
  }
}
