/** Owns what a skill's archive may hold that comes from elsewhere, and the refusals of what it may not. Never reads one. */
import { SkillsError } from "../../model/errors.ts";

const MIB = 1024 * 1024;

/** How much is unpacked. */
export interface SkillArchiveLimits {
  /** Of the archive itself. */
  readonly archiveBytes: number;
  /** Entries, directories among them. */
  readonly entries: number;
  /** Of all files together. */
  readonly bytes: number;
  /** How many times larger than the archive its files may be, above `freeBytes`. */
  readonly ratio: number;
  /** Up to here any ratio is fine. */
  readonly freeBytes: number;
}

/** Twice what every host must take, and what an isolate has room for. */
export const SKILL_ARCHIVE_LIMITS: SkillArchiveLimits = {
  archiveBytes: 32 * MIB,
  entries: 4_096,
  bytes: 32 * MIB,
  ratio: 200,
  freeBytes: 4 * MIB,
};

/** How many bytes an archive may unpack to. */
export function unpackedLimit(archive: Uint8Array, { bytes, ratio, freeBytes }: SkillArchiveLimits): number {
  return Math.min(bytes, Math.max(freeBytes, archive.byteLength * ratio));
}

/** The refusal of bytes that are no archive, a damaged one, or one that two readers would read in two ways. */
export function corrupt(problem: string, cause?: unknown): SkillsError {
  const reason = cause === undefined ? {} : { cause };
  return new SkillsError("archive-corrupt", `The archive cannot be read: ${problem}`, reason);
}

/** The refusal of too many bytes. */
export function tooLarge(limit: number): SkillsError {
  return new SkillsError("archive-too-large", `The archive has, or unpacks to, more than ${limit} bytes`);
}

/** The refusal of too many entries. */
export function tooMany({ entries }: SkillArchiveLimits): SkillsError {
  return new SkillsError("archive-too-many-files", `The archive has more than ${entries} entries`);
}

/** The refusal of what is neither a file nor a directory. */
export function isLink(name: string): SkillsError {
  return new SkillsError("archive-link", `The archive holds ${JSON.stringify(name)}, which is a link or a device`);
}
