/** Owns a skill as `skills/list` shows it (SEP-2640): frontmatter as any YAML reader takes it, every file with its digest. */
import type { Skill, SkillResourceEntry } from "@modelcontextprotocol/server/ext/skills";
import { frontmatterJson } from "../check/frontmatter-json.ts";
import { SkillsError } from "../model/errors.ts";
import { MAX_COMPATIBILITY_LENGTH, MAX_DESCRIPTION_LENGTH } from "../model/frontmatter.ts";
import { characterCount, isPortableName } from "../model/name.ts";
import type { AgentSkill, AgentSkillResource } from "../model/skill.ts";
import { MANIFEST, skillUri } from "./skill-uri.ts";

/** Entries by the skill they are of: a skill's object lives as long as its bundle is at hand. */
const kept = new WeakMap<AgentSkill, Skill | null>();

/** The entry of a skill; null for one that MCP hosts would refuse. */
export async function skillEntry(skill: AgentSkill): Promise<Skill | null> {
  const known = kept.get(skill);
  if (known !== undefined) {
    return known;
  }
  const entry = mayBeListed(skill) ? await unlessBlocked(() => makeEntry(skill)) : null;
  kept.set(skill, entry);
  return entry;
}

/** Null for a skill that turns out to have been recalled when it is read. */
async function unlessBlocked<T>(make: () => Promise<T>): Promise<T | null> {
  try {
    return await make();
  } catch (error) {
    if (SkillsError.is(error) && error.code === "skill-blocked") {
      return null;
    }
    throw error;
  }
}

/** Tells, without reading it, whether a skill can be listed at all. */
export function mayBeListed({ name, description }: AgentSkill): boolean {
  return isPortableName(name) && characterCount(description) <= MAX_DESCRIPTION_LENGTH;
}

/** The SKILL.md as hosts are given it, everywhere the same: the portable form where there is one. Null for skills that have none. */
export async function shownManifest(skill: AgentSkill): Promise<AgentSkillResource | null> {
  return (await skill.getPortableManifest?.()) ?? (await skill.getManifest());
}

async function makeEntry(skill: AgentSkill): Promise<Skill | null> {
  const [manifest, files] = [await shownManifest(skill), await skill.listResources()];
  if (manifest === null || files === null) {
    return null;
  }
  const frontmatter = frontmatterJson(await manifest.read());
  const resources = [manifest, ...files].map((file) => entryOf(skill, file, file === manifest ? MANIFEST : file.name));
  if (frontmatter === null || !isTaken(frontmatter, skill) || resources.includes(null)) {
    return null;
  }
  return {
    uri: skillUri(skill.name, MANIFEST),
    frontmatter: { ...frontmatter, name: skill.name, description: String(frontmatter.description) },
    resources: resources.filter((entry) => entry !== null),
  };
}

function entryOf(skill: AgentSkill, { digest, size }: AgentSkillResource, path: string): SkillResourceEntry | null {
  return digest === null || size === null ? null : { uri: skillUri(skill.name, path), digest, size };
}

/** Hosts compare the name with the address, and take texts only where the specification says so. */
function isTaken(frontmatter: Readonly<Record<string, unknown>>, skill: AgentSkill): boolean {
  const { name, description, metadata = {}, compatibility = "" } = frontmatter;
  const isTexts =
    typeof metadata === "object" &&
    metadata !== null &&
    Object.values(metadata).every((value) => typeof value === "string");
  const isShort = typeof compatibility === "string" && characterCount(compatibility) <= MAX_COMPATIBILITY_LENGTH;
  return name === skill.name && typeof description === "string" && isTexts && isShort;
}
