/** Owns a skill as an archive over HTTP: made when it is asked for, the same bytes each time, kept while there is room. */
import { type ArchiveFile, tarArchive, zipArchive } from "../bundle/skill-archive.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { type ErrorCode, SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { AnswerCache } from "../provider/load-skill.ts";

/** What an archive is asked for as. */
export type ArchiveKind = "tar.gz" | "zip";

/** An archive with its digest. */
export interface MadeArchive {
  readonly bytes: Uint8Array;
  readonly digest: Digest;
}

export const ARCHIVE_TYPES: Readonly<Record<ArchiveKind, string>> = {
  "tar.gz": "application/gzip",
  zip: "application/zip",
};

/** Bytes of a skill that are put into an archive here: what every host must take, and an isolate has room for. */
const MAX_UNPACKED_BYTES = 16 * 1024 * 1024;

/** Archives up to this size are kept. */
const KEPT_BYTES = 1024 * 1024;

/** The files of a skill as they lie in an archive: SKILL.md under this very name, at the root. Throws `archive-too-large`. */
async function archiveFiles(skill: AgentSkill): Promise<ArchiveFile[]> {
  const [manifest, files] = [await skill.getManifest(), (await skill.listResources()) ?? []];
  const all = [
    ...(manifest === null ? [] : [{ path: "SKILL.md", file: manifest }]),
    ...files.map((file) => ({ path: file.name, file })),
  ];
  if (all.reduce((sum, { file }) => sum + (file.size ?? 0), 0) > MAX_UNPACKED_BYTES) {
    throw new SkillsError(
      "archive-too-large",
      `Cannot make an archive of "${skill.name}": it has over ${MAX_UNPACKED_BYTES} bytes`,
    );
  }
  return Promise.all(all.map(async ({ path, file }) => ({ path, bytes: await file.read() })));
}

/** The archive of a skill. Throws `archive-too-large`, or `archive-path-too-long` for a path that plain tar cannot hold. */
export async function makeArchive(skill: AgentSkill, kind: ArchiveKind, cache: AnswerCache): Promise<MadeArchive> {
  // By revision, not by digest: what was recalled since is in the one and not in the other.
  const key = `archive:${kind}:${skill.revision}`;
  const kept = skill.revision === null ? undefined : cache.get<MadeArchive>(key);
  if (kept) {
    return kept;
  }
  const files = await archiveFiles(skill);
  const bytes = kind === "zip" ? zipArchive(files) : tarArchive(files);
  const made = { bytes, digest: await digestOf(bytes) };
  if (skill.revision !== null && bytes.byteLength <= KEPT_BYTES) {
    cache.set(key, made, bytes.byteLength);
  }
  return made;
}

/** Why a skill has no archive, or only one of the other kind. */
const NO_ARCHIVE: ReadonlySet<ErrorCode> = new Set([
  "archive-path-too-long",
  "archive-too-large",
  "archive-unsafe-path",
  "file-blocked",
  "skill-blocked",
]);

/**
 * The digest of a skill's archive, and which kind it is: tar where that can hold it, else zip; null for a skill that is too large, has a path
 * that cannot travel, or of which something was recalled.
 */
export async function archiveDigest(
  skill: AgentSkill,
  cache: AnswerCache,
): Promise<{ readonly kind: ArchiveKind; readonly digest: Digest } | null> {
  const key = `archive-digest:${skill.revision}`;
  const kept = skill.revision === null ? undefined : cache.get<{ kind: ArchiveKind; digest: Digest } | null>(key);
  if (kept !== undefined) {
    return kept;
  }
  const made = await withFallback(skill, cache);
  if (skill.revision !== null) {
    cache.set(key, made, key.length);
  }
  return made;
}

async function withFallback(skill: AgentSkill, cache: AnswerCache) {
  for (const kind of ["tar.gz", "zip"] as const) {
    try {
      return { kind, digest: (await makeArchive(skill, kind, cache)).digest };
    } catch (error) {
      if (!SkillsError.is(error) || !NO_ARCHIVE.has(error.code)) {
        throw error;
      }
    }
  }
  return null;
}
