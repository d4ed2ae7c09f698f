/** Owns finding what a run left behind in its directory: new and changed regular files, bounded. Never follows a link. */
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { mediaTypeOf } from "../check/media-type.ts";
import { isSafePath } from "../model/path.ts";
import { comparePaths } from "../model/record.ts";
import type { RunLimits, RunOutputFile } from "../model/run.ts";

export interface LeftFiles {
  readonly files: readonly RunOutputFile[];
  /** True when there were more files, or more bytes, than may come back. */
  readonly isCut: boolean;
}

/** The files below a directory that are not as they were laid down, in path order, as many as the limits let through. */
export function leftFiles(
  directory: string,
  before: ReadonlyMap<string, Uint8Array>,
  limits: Pick<RunLimits, "files" | "file_bytes">,
): LeftFiles {
  const files: RunOutputFile[] = [];
  let bytes = 0;
  for (const path of pathsBelow(directory).sort(comparePaths)) {
    const content = read(join(directory, path), limits.file_bytes);
    const old = before.get(path);
    if (content === null || (old !== undefined && content !== "large" && Buffer.compare(old, content) === 0)) {
      continue;
    }
    bytes += content === "large" ? Number.POSITIVE_INFINITY : content.length;
    if (content === "large" || files.length >= limits.files || bytes > limits.file_bytes) {
      return { files, isCut: true };
    }
    files.push(outputFile(path, content));
  }
  return { files, isCut: false };
}

function pathsBelow(directory: string, prefix = ""): string[] {
  return entriesOf(directory).flatMap((entry) => {
    const path = prefix + entry.name;
    if (entry.isDirectory()) {
      return entry.name === "__pycache__" ? [] : pathsBelow(join(directory, entry.name), `${path}/`);
    }
    return entry.isFile() && isSafePath(path) ? [path] : [];
  });
}

/** What lies in a directory; nothing when it is none, the script has closed it, or it lies too deep for a path. */
function entriesOf(directory: string): Dirent[] {
  try {
    return lstatSync(directory).isDirectory() ? readdirSync(directory, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** The bytes of a regular file; null when it is none any more, lies elsewhere by now, or cannot be read. */
function read(file: string, most: number): Buffer | "large" | null {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const facts = fstatSync(descriptor);
      return !facts.isFile() || !isAt(descriptor, file)
        ? null
        : facts.size > most
          ? "large"
          : readAll(descriptor, facts.size);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** Whether what was opened lies at its path: what a script left running may put a link in place of a directory on the way. Only Linux tells. */
function isAt(descriptor: number, file: string): boolean {
  return process.platform !== "linux" || readlinkSync(`/proc/self/fd/${descriptor}`) === file;
}

function readAll(descriptor: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let at = 0;
  for (let read = -1; read !== 0 && at < size; at += read) {
    read = readSync(descriptor, bytes, at, size - at, null);
  }
  return bytes.subarray(0, at);
}

function outputFile(path: string, bytes: Buffer): RunOutputFile {
  const text = textOf(bytes);
  const facts = { path, size: bytes.length, media_type: mediaTypeOf(path, text !== null) };
  return text === null
    ? { ...facts, encoding: "base64", content: bytes.toString("base64") }
    : { ...facts, encoding: "utf-8", content: text };
}

function textOf(bytes: Buffer): string | null {
  try {
    return bytes.includes(0) ? null : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
