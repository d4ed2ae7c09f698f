/** Owns what an entry of an archive is, whatever the format, and where it may lie. Never unpacks. */
import { SkillsError } from "../../model/errors.ts";

/** An entry as it stands in an archive. */
export interface ArchiveEntry {
  /** As written, decoded to text. */
  readonly name: string;
  readonly kind: "file" | "directory" | "special";
  /** Empty for what is no file. */
  readonly bytes: Uint8Array;
}

/** The longest part of a path that common file systems take, in bytes, and the longest path. */
const MAX_PART_BYTES = 255;
const MAX_PATH_BYTES = 1024;

/** The path of an entry below the place it is unpacked to; empty for that place itself. Throws `archive-unsafe-path`. */
export function entryPath(name: string): string {
  const path = name.replaceAll("\\", "/");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const problem = path.includes("\0")
    ? "it holds a NUL"
    : path.startsWith("/")
      ? "it is absolute"
      : /^[A-Za-z]:/.test(path)
        ? "it names a drive"
        : parts.includes("..")
          ? "it leads upwards"
          : lengthProblem(parts);
  if (problem !== null) {
    throw new SkillsError(
      "archive-unsafe-path",
      `The archive holds the path ${JSON.stringify(name.slice(0, 200))}: ${problem}`,
      {
        hint: "nothing was unpacked; make the archive from inside the skill's directory",
      },
    );
  }
  return parts.join("/");
}

function lengthProblem(parts: readonly string[]): string | null {
  const lengths = parts.map((part) => Buffer.byteLength(part));
  const total = lengths.reduce((sum, length) => sum + length + 1, 0);
  return total > MAX_PATH_BYTES || lengths.some((length) => length > MAX_PART_BYTES) ? "it is too long" : null;
}
