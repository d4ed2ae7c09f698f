/**
 * Owns a skill as one archive, its files at the root: plain ustar in gzip, or zip. The same files give the same bytes on any machine; modes
 * and times are no part of them. Pure, for the command line and the edge alike. Never reads an archive.
 */
import { gzipSync, zipSync } from "fflate";
import { joinBytes } from "../model/bytes.ts";
import { SkillsError } from "../model/errors.ts";
import { travelProblem } from "../model/path.ts";
import { comparePaths } from "../model/record.ts";

/** A file of a skill. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** Zip knows no time before it, and has it in local time: these are the same digits everywhere. */
const ZIP_EPOCH = (): Date => new Date(1980, 0, 1);

const encoder = new TextEncoder();

/** Files as zip. Throws `archive-unsafe-path`. */
export function zipArchive(files: Iterable<ArchiveFile>): Uint8Array {
  const entries = inOrder(files).map(({ path, bytes }) => [path, bytes] as const);
  return zipSync(Object.fromEntries(entries), { mtime: ZIP_EPOCH(), level: 6 });
}

/** Files as tar in gzip. Throws `archive-path-too-long` for a path that plain ustar cannot hold, or `archive-unsafe-path`. */
export function tarArchive(files: Iterable<ArchiveFile>): Uint8Array {
  const parts = inOrder(files).flatMap(({ path, bytes }) => [
    header(path, bytes.byteLength),
    bytes,
    new Uint8Array(-bytes.byteLength & (BLOCK - 1)),
  ]);
  return gzipSync(joinBytes([...parts, new Uint8Array(2 * BLOCK)]), { mtime: 0, level: 6 });
}

/** In path order. Throws `archive-unsafe-path` for a path that readers would refuse, or take for another one. */
function inOrder(files: Iterable<ArchiveFile>): ArchiveFile[] {
  const ordered = [...files].sort((a, b) => comparePaths(a.path, b.path));
  for (const { path } of ordered) {
    const problem = travelProblem(path);
    if (problem !== null) {
      throw new SkillsError("archive-unsafe-path", `Cannot put ${JSON.stringify(path)} into an archive: ${problem}`, {
        hint: "rename the file",
      });
    }
  }
  return ordered;
}

/** An entry's header: POSIX.1-1988, which every reader of tar knows. */
function header(path: string, size: number): Uint8Array {
  const { prefix, name } = splitPath(path);
  const block = new Uint8Array(BLOCK);
  const put = (offset: number, bytes: Uint8Array | string) =>
    block.set(typeof bytes === "string" ? encoder.encode(bytes) : bytes, offset);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  put(0, name);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(0, 11));
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\x0000");
  put(329, octal(0, 7));
  put(337, octal(0, 7));
  put(345, prefix);
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

/** A path in the two fields that ustar has for it, cut at a slash. */
function splitPath(path: string): { prefix: Uint8Array; name: Uint8Array } {
  const whole = encoder.encode(path);
  if (whole.length <= NAME_BYTES) {
    return { prefix: new Uint8Array(), name: whole };
  }
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    const prefix = encoder.encode(path.slice(0, slash));
    const name = encoder.encode(path.slice(slash + 1));
    if (prefix.length <= PREFIX_BYTES && name.length <= NAME_BYTES) {
      return { prefix, name };
    }
  }
  throw new SkillsError(
    "archive-path-too-long",
    `Cannot put ${JSON.stringify(path)} into a plain tar: its name is too long`,
    {
      hint: "make a .zip, which has room for long names, or shorten the path",
    },
  );
}
