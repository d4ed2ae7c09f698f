/** Owns reading the skills that a site offers under `/.well-known/`: where the index lies, digests, the artifacts. Never writes, never runs anything. */
import { SkillsError, toSkillsError } from "../../model/errors.ts";
import { ARCHIVE_LIMITS } from "../archive/limits.ts";
import { openArchive } from "../archive/open-archive.ts";
import { sha256 } from "../hash.ts";
import { fetchSite } from "./fetch-site.ts";
import { type OfferedSkill, readIndex } from "./well-known-index.ts";

/** One skill of a site: its files, or why they are not to be had. */
export type SiteSkill = { readonly name: string } & (
  | { readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly error: SkillsError }
);

const CURRENT = "/.well-known/agent-skills/index.json";
const OLDER = "/.well-known/skills/index.json";

const MAX_INDEX_BYTES = 16 * 1024 * 1024;
const MAX_SKILLS = 1_000;

/** Reads all skills of a site. One that cannot be had does not keep the others from it. Throws `source-invalid` or `source-unavailable`. */
export async function readSite(site: URL, signal: AbortSignal): Promise<SiteSkill[]> {
  const { bytes, url } = await findIndex(site, signal);
  const offered = readIndex(bytes, url);
  if (offered.length > MAX_SKILLS) {
    throw new SkillsError(
      "source-invalid",
      `"${url.href}" offers ${offered.length} skills; at most ${MAX_SKILLS} are read`,
    );
  }
  const skills: SiteSkill[] = [];
  for (const skill of offered) {
    skills.push(await readOffered(skill, signal));
  }
  return skills;
}

/** The first index there is: below the path that was given, then at the site's root; the current form before the older one. */
async function findIndex(site: URL, signal: AbortSignal): Promise<{ bytes: Uint8Array; url: URL }> {
  const path = site.pathname.replace(/\/\.well-known\/(?:agent-)?skills(?:\/.*)?$/, "").replace(/\/+$/, "");
  const places = [CURRENT, OLDER].flatMap((index) => (path === "" ? [index] : [path + index, index]));
  for (const place of places) {
    const url = new URL(place, site);
    const bytes = await fetchSite(url, MAX_INDEX_BYTES, signal);
    if (bytes !== null) {
      return { bytes, url };
    }
  }
  throw new SkillsError("source-invalid", `"${site.href}" offers no skills: it has none of ${places.join(", ")}`, {
    hint: "name the site's address, or download an archive and import that",
  });
}

async function readOffered(skill: OfferedSkill, signal: AbortSignal): Promise<SiteSkill> {
  const { name } = skill;
  try {
    return { name, files: await filesOf(skill, signal) };
  } catch (error) {
    signal.throwIfAborted();
    return { name, error: toSkillsError(error) };
  }
}

async function filesOf(skill: OfferedSkill, signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>> {
  if (skill.kind === "unusable") {
    throw new SkillsError(
      "source-invalid",
      `The index's entry ${JSON.stringify(skill.name)} cannot be used: ${skill.reason}`,
    );
  }
  if (skill.kind === "files") {
    return readFiles(skill.files, signal);
  }
  const bytes = await fetchThere(skill.url, ARCHIVE_LIMITS.archiveBytes, signal);
  const digest = sha256(bytes);
  if (digest !== skill.digest) {
    const message = `"${skill.url.href}" has the digest ${digest}, the index states ${skill.digest}`;
    throw new SkillsError("source-invalid", message, { hint: "tell the site's owner; what was fetched is not used" });
  }
  return skill.kind === "archive" ? openArchive(bytes) : new Map([["SKILL.md", bytes]]);
}

async function readFiles(
  files: readonly { readonly path: string; readonly url: URL }[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (files.length > ARCHIVE_LIMITS.entries) {
    throw new SkillsError(
      "source-invalid",
      `The skill has ${files.length} files; at most ${ARCHIVE_LIMITS.entries} are read`,
    );
  }
  const read = new Map<string, Uint8Array>();
  let left = ARCHIVE_LIMITS.bytes;
  for (const { path, url } of files) {
    const bytes = await fetchThere(url, left, signal);
    left -= bytes.byteLength;
    read.set(path, bytes);
  }
  return read;
}

async function fetchThere(url: URL, limit: number, signal: AbortSignal): Promise<Uint8Array> {
  const bytes = await fetchSite(url, limit, signal);
  if (bytes === null) {
    throw new SkillsError("source-invalid", `"${url.href}" is not there, though the index names it`);
  }
  return bytes;
}
