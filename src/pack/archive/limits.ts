/** Owns how much of an archive is unpacked, and the refusals beyond. Never reads one. */
import { SkillsError } from "../../model/errors.ts";

const MIB = 1024 * 1024;

/** What an archive may hold; what is dropped of it counts. */
export interface ArchiveLimits {
  readonly entries: number;
  /** Of all entries together, unpacked. */
  readonly bytes: number;
  /** Of the archive itself. */
  readonly archiveBytes: number;
  /** How many times larger than the archive its content may be, above `freeBytes`. */
  readonly ratio: number;
  /** Up to here any ratio is fine: a font of zeros is small in an archive. */
  readonly freeBytes: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = {
  entries: 10_000,
  bytes: 100 * MIB,
  archiveBytes: 110 * MIB,
  ratio: 200,
  freeBytes: 16 * MIB,
};

/** How many bytes an archive of a size may unpack to. */
export function unpackedLimit(archiveBytes: number, limits: ArchiveLimits): number {
  return Math.min(limits.bytes, Math.max(limits.freeBytes, archiveBytes * limits.ratio));
}

/** The refusal of too many bytes. */
export function tooLarge(limit: number): SkillsError {
  return new SkillsError("archive-too-large", `The archive unpacks to more than ${Math.floor(limit / MIB)} MiB`, {
    hint: "leave out what no one reads, or import a directory",
  });
}

/** The refusal of too many entries. */
export function tooMany(limits: ArchiveLimits): SkillsError {
  return new SkillsError("archive-too-many-files", `The archive has more than ${limits.entries} entries`, {
    hint: "leave out what no one reads, or split the archive",
  });
}

/** The refusal of bytes that are no archive, or a damaged one. */
export function corrupt(problem: string, cause?: unknown): SkillsError {
  return new SkillsError("archive-corrupt", `The archive cannot be read: ${problem}`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "download or make it again; .zip, .skill, .tar, .tar.gz and .tgz are read",
  });
}
