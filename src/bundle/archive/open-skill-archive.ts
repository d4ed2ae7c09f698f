/**
 * Owns the way from a skill's archive that came from elsewhere to its files, in memory and in any runtime: plain ustar in gzip, or zip, files
 * at the root. Whatever is odd refuses the whole. Never writes a file; the importer of Node has readers of its own, which take more.
 */
import { SkillsError } from "../../model/errors.ts";
import { isLeftover } from "../../model/leftovers.ts";
import { directoryOf, travelProblem } from "../../model/path.ts";
import type { PlainEntry } from "./plain-entry.ts";
import { readPlainZip } from "./read-plain-zip.ts";
import { readUstar } from "./read-ustar.ts";
import { corrupt, SKILL_ARCHIVE_LIMITS, type SkillArchiveLimits, tooLarge } from "./refusal.ts";

const MANIFEST = "SKILL.md";
const MAX_PATH_BYTES = 1_024;

/** The files by their paths, SKILL.md at the root among them, without leftovers. Throws an `archive-…` error or `skill-md-missing`; then nothing of it is used. */
export function openSkillArchive(
  archive: Uint8Array,
  limits: SkillArchiveLimits = SKILL_ARCHIVE_LIMITS,
): ReadonlyMap<string, Uint8Array> {
  if (archive.byteLength > limits.archiveBytes) {
    throw tooLarge(limits.archiveBytes);
  }
  const files = new Map<string, Uint8Array>();
  const directories = new Set<string>();
  for (const { name, isDirectory, bytes } of readEntries(archive, limits)) {
    const path = pathOf(name);
    if (path === "" ? !isDirectory : files.has(path) || directories.has(path)) {
      throw corrupt(path === "" ? "an entry has no name" : `it holds ${JSON.stringify(path)} twice`);
    }
    if (isDirectory) {
      directories.add(path);
    } else {
      files.set(path, bytes);
    }
  }
  refuseFilesAsDirectories(files, directories);
  for (const path of [...files.keys()].filter((path) => path.split("/").some(isLeftover))) {
    files.delete(path);
  }
  if (!files.has(MANIFEST)) {
    throw new SkillsError("skill-md-missing", "The archive has no SKILL.md at its root");
  }
  return files;
}

/** What the bytes are decides, not the name. */
function readEntries(archive: Uint8Array, limits: SkillArchiveLimits): PlainEntry[] {
  const [first, second] = archive;
  if (first === 0x1f && second === 0x8b) {
    return readUstar(archive, limits);
  }
  if (first === 0x50 && second === 0x4b) {
    return readPlainZip(archive, limits);
  }
  throw corrupt("it is neither .tar.gz nor .zip");
}

/** The path below the skill; empty for its root, which some tools list as `./`. */
function pathOf(name: string): string {
  if (/^(?:\.\/?)?$/.test(name)) {
    return "";
  }
  const path = name.replace(/^(?:\.\/)+/, "").replace(/\/$/, "");
  const tooLong = new TextEncoder().encode(path).byteLength > MAX_PATH_BYTES ? "it is too long" : null;
  const problem = travelProblem(path) ?? tooLong;
  if (problem !== null) {
    throw new SkillsError(
      "archive-unsafe-path",
      `The archive holds the path ${JSON.stringify(name.slice(0, 200))}: ${problem}`,
    );
  }
  return path;
}

/** One path cannot be a file and a directory. */
function refuseFilesAsDirectories(files: ReadonlyMap<string, Uint8Array>, directories: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const path of [...files.keys(), ...directories]) {
    for (let at = directoryOf(path); at !== "" && !seen.has(at); at = directoryOf(at)) {
      seen.add(at);
      if (files.has(at)) {
        throw corrupt(`it holds ${JSON.stringify(at)} as a file and as a directory`);
      }
    }
  }
}
