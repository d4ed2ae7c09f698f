/** Owns the caller's skills as MCP's skills extension asks for them: entries, files, directories. Never shows what the catalogue does not have. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Skill, SkillReadResult, SkillSource } from "@modelcontextprotocol/server/ext/skills";
import { comparePaths } from "../model/record.ts";
import type { AgentSkill, AgentSkillResource } from "../model/skill.ts";
import type { Catalogue } from "../provider/catalogue.ts";
import { guarded, type OnFailure } from "./guarded.ts";
import { mayBeListed, shownManifest, skillEntry } from "./skill-entry.ts";
import { MANIFEST, parseSkillUri, type SkillPlace, skillUri } from "./skill-uri.ts";

/** Skills of one page; each may cost two reads. */
const PAGE_SKILLS = 50;

/** Children of one page of a directory. */
const PAGE_FILES = 500;

/** How many skills `resources/list` names: it has no pages here. */
const MAX_RESOURCES = 1_000;

/** Up to so many are read, to leave out those that hosts would refuse. */
const MAX_READ_RESOURCES = 100;

const DIRECTORY = "inode/directory";

const MARKDOWN = "text/markdown";

type Resource = Awaited<ReturnType<NonNullable<SkillSource["listResources"]>>>[number];

/** Told of each file that a client reads, by its path in the skill. */
export type OnRead = (skill: AgentSkill, path: string) => void;

/** The skills of a catalogue as a source. */
export function createSkillSource(catalogue: Catalogue, onFailure: OnFailure, onRead: OnRead): SkillSource {
  return {
    list: guarded(onFailure, ({ cursor }) => listPage(catalogue, cursor)),
    get: guarded(onFailure, async (uri) => (await entryAt(catalogue, parseSkillUri(uri))) ?? undefined),
    read: guarded(onFailure, (uri) => readFile(catalogue, parseSkillUri(uri), onRead)),
    readDirectory: guarded(onFailure, (uri, { cursor }) => readDirectory(catalogue, parseSkillUri(uri), cursor)),
    listResources: guarded(onFailure, () => listResources(catalogue)),
  };
}

/** The skills that may be listed, by name. */
export function listed(catalogue: Catalogue): readonly AgentSkill[] {
  return catalogue.skills.filter((skill) => !skill.hidden && mayBeListed(skill));
}

async function listPage(catalogue: Catalogue, cursor: string | undefined) {
  const after = cursor === undefined ? "" : readCursor(cursor);
  const rest = listed(catalogue).filter((skill) => comparePaths(skill.name, after) > 0);
  const page = rest.slice(0, PAGE_SKILLS);
  const entries = await Promise.all(page.map(skillEntry));
  const skills = entries.filter((entry): entry is Skill => entry !== null);
  const last = page.at(-1);
  return rest.length > page.length && last ? { skills, nextCursor: btoa(last.name) } : { skills };
}

/** A cursor is the name after which to go on: it means the same whatever was deployed meanwhile. */
function readCursor(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      "Cannot use this cursor: it is not one that this service gave",
    );
  }
}

function skillAt(catalogue: Catalogue, { skill }: SkillPlace): AgentSkill | null {
  try {
    const found = catalogue.find(skill);
    return found.name === skill && mayBeListed(found) ? found : null;
  } catch {
    return null;
  }
}

async function entryAt(catalogue: Catalogue, place: SkillPlace | null): Promise<Skill | null> {
  const skill = place?.path === MANIFEST ? skillAt(catalogue, place) : null;
  return skill && skillEntry(skill);
}

/** The files of a skill under the paths they are addressed by. */
async function filesOf(skill: AgentSkill): Promise<ReadonlyMap<string, AgentSkillResource>> {
  const [manifest, files] = [await shownManifest(skill), await skill.listResources()];
  const all = (files ?? []).map((file) => [file.name, file] as const);
  return new Map(manifest === null ? all : [[MANIFEST, manifest], ...all]);
}

async function readFile(
  catalogue: Catalogue,
  place: SkillPlace | null,
  onRead: OnRead,
): Promise<SkillReadResult | undefined> {
  const skill = place && skillAt(catalogue, place);
  const file = skill && (await filesOf(skill)).get(place.path);
  if (!file) {
    return undefined;
  }
  const bytes = await file.read();
  onRead(skill, place.path);
  const mimeType = place.path === MANIFEST ? MARKDOWN : file.mediaType;
  return file.text
    ? { text: new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes), mimeType }
    : { bytes, mimeType };
}

async function readDirectory(catalogue: Catalogue, place: SkillPlace | null, cursor: string | undefined) {
  const skill = place && skillAt(catalogue, place);
  if (!skill) {
    return undefined;
  }
  const inside = place.path === "" ? "" : `${place.path}/`;
  const children = new Map<string, Resource>();
  for (const [path, file] of await filesOf(skill)) {
    if (path.startsWith(inside)) {
      const [name = "", ...deeper] = path.slice(inside.length).split("/");
      const uri = skillUri(skill.name, inside + name);
      children.set(name, deeper.length > 0 ? { uri, name, mimeType: DIRECTORY } : childOf(file, uri, name));
    }
  }
  if (children.size === 0) {
    return undefined;
  }
  const after = cursor === undefined ? "" : decodeURIComponent(readCursor(cursor));
  const rest = [...children.values()]
    .filter(({ name }) => comparePaths(name, after) > 0)
    .sort((a, b) => comparePaths(a.name, b.name));
  const resources = rest.slice(0, PAGE_FILES);
  const last = resources.at(-1);
  return rest.length > resources.length && last
    ? { resources, nextCursor: btoa(encodeURIComponent(last.name)) }
    : { resources };
}

function childOf({ mediaType, size }: AgentSkillResource, uri: string, name: string): Resource {
  return { uri, name, mimeType: name === MANIFEST ? MARKDOWN : mediaType, ...(size === null ? {} : { size }) };
}

async function listResources(catalogue: Catalogue): Promise<Resource[]> {
  const skills = listed(catalogue);
  if (skills.length > MAX_READ_RESOURCES) {
    return skills.slice(0, MAX_RESOURCES).map(manifestResource);
  }
  const entries = await Promise.all(skills.map(skillEntry));
  return skills.filter((_, i) => entries[i] !== null).map(manifestResource);
}

function manifestResource({ name, description }: AgentSkill): Resource {
  return { uri: skillUri(name, MANIFEST), name, description, mimeType: MARKDOWN };
}
