/** Owns what discovery lists: index 0.2.0, the older index, `llms.txt`. Which skills is said by who asks; see discovery-routes.ts. */
import { SkillsError } from "../model/errors.ts";
import { MAX_DESCRIPTION_LENGTH } from "../model/frontmatter.ts";
import { characterCount, isPortableName } from "../model/name.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { Catalogue } from "../provider/catalogue.ts";
import { catalogueText } from "../provider/escape.ts";
import type { AnswerCache } from "../provider/load-skill.ts";
import { archiveDigest } from "./archive.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** Where the documents lie. */
export const DISCOVERY = "/.well-known/agent-skills";

/** Where they lay before. */
export const OLDER_DISCOVERY = "/.well-known/skills";

/** How many skills an index names: the digest of each comes from reading it whole. */
const MAX_SKILLS = 500;

/** The skills that discovery may list: names and descriptions that every client takes, and that are offered at all. */
export function discoverable(catalogue: Catalogue): readonly AgentSkill[] {
  return catalogue.skills.filter(isDiscoverable).slice(0, MAX_SKILLS);
}

/** Tells whether discovery has a skill. */
export function isDiscoverable({ name, description, hidden }: AgentSkill): boolean {
  return !hidden && isPortableName(name) && characterCount(description) <= MAX_DESCRIPTION_LENGTH;
}

/** The index, version 0.2.0. */
export async function discoveryIndex(catalogue: Catalogue, cache: AnswerCache): Promise<object> {
  const entries: object[] = [];
  // One after the other: an isolate has room for the files of one skill, not of all.
  for (const skill of discoverable(catalogue)) {
    entries.push(...(await entryOf(skill, cache)));
  }
  return { $schema: SCHEMA, skills: entries };
}

async function entryOf(skill: AgentSkill, cache: AnswerCache): Promise<object[]> {
  const { name, description, counts } = skill;
  if (counts.resources === 0) {
    const manifest = await unlessBlocked(() => skill.getManifest());
    const url = `${DISCOVERY}/${name}/SKILL.md`;
    return manifest?.digest ? [{ name, type: "skill-md", description, url, digest: manifest.digest }] : [];
  }
  const archive = await archiveDigest(skill, cache);
  return archive === null
    ? []
    : [{ name, type: "archive", description, url: `${DISCOVERY}/${name}.${archive.kind}`, digest: archive.digest }];
}

/** The index as it was before: every file by its path. */
export async function olderIndex(catalogue: Catalogue): Promise<object> {
  const skills = await Promise.all(discoverable(catalogue).map(olderEntryOf));
  return { skills: skills.flat() };
}

async function olderEntryOf(skill: AgentSkill): Promise<object[]> {
  const files = await unlessBlocked(() => skill.listResources());
  return files === undefined
    ? []
    : [
        {
          name: skill.name,
          description: skill.description,
          files: ["SKILL.md", ...(files ?? []).map((file) => file.name)],
        },
      ];
}

/** Reads of a skill; undefined when it turns out that it was recalled: then it is not listed. */
async function unlessBlocked<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (SkillsError.is(error) && error.code === "skill-blocked") {
      return undefined;
    }
    throw error;
  }
}

/** A page of links for models that read sites (llmstxt.org). */
export function llmsText(catalogue: Catalogue): string {
  const lines = discoverable(catalogue).map(
    ({ name, description }) => `- [${name}](${DISCOVERY}/${name}/SKILL.md): ${catalogueText(description)}`,
  );
  return [
    "# Agent Skills",
    "",
    "> Instructions, reference files and scripts for particular jobs. Read the SKILL.md of the one that fits your task.",
    "",
    "## Skills",
    "",
    ...lines,
    "",
  ].join("\n");
}
