/** Owns reading a zip by its directory: stored and deflated files, sizes counted and checksums compared. No zip64, no passwords. Never judges a path. */
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { crc32 } from "./crc32.ts";
import { decompress } from "./decompress.ts";
import type { PlainEntry } from "./plain-entry.ts";
import { corrupt, isLink, type SkillArchiveLimits, tooLarge, tooMany, unpackedLimit } from "./refusal.ts";

const END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END_BYTES = 22;
const DIRECTORY_BYTES = 46;
const LOCAL_BYTES = 30;
const MAX_COMMENT = 0xffff;

const ENCRYPTED = 0x1;
const STORE = 0;
const DEFLATE = 8;

/** The high half of the attributes is the mode of Unix, where there is one. */
const TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;

interface Listed {
  readonly name: string;
  readonly rawName: Uint8Array;
  readonly isDirectory: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly start: number;
}

/** The entries in their order. Throws an `archive-…` error. */
export function readPlainZip(archive: Uint8Array, limits: SkillArchiveLimits): PlainEntry[] {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const listed = listEntries(view, archive, limits);
  const limit = unpackedLimit(archive, limits);
  const entries: PlainEntry[] = [];
  let left = limit;
  for (const entry of listed) {
    const bytes = contentOf(entry, dataOf(entry, view, archive), left);
    if (bytes === null) {
      throw tooLarge(limit);
    }
    left -= bytes.byteLength;
    entries.push({ name: entry.name, isDirectory: entry.isDirectory, bytes });
  }
  return entries;
}

function listEntries(view: DataView, archive: Uint8Array, limits: SkillArchiveLimits): Listed[] {
  const end = findEnd(view);
  const [count, size, start] = [
    view.getUint16(end + 10, true),
    view.getUint32(end + 12, true),
    view.getUint32(end + 16, true),
  ];
  if (view.getUint16(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count || start + size !== end) {
    throw corrupt("its directory is not where it should be; zip64 and split archives are not read");
  }
  if (count > limits.entries) {
    throw tooMany(limits);
  }
  const listed: Listed[] = [];
  let at = start;
  for (let i = 0; i < count; i++) {
    if (at + DIRECTORY_BYTES > end || view.getUint32(at, true) !== DIRECTORY_ENTRY) {
      throw corrupt("its directory is damaged");
    }
    const lengths = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const next = at + DIRECTORY_BYTES + lengths.reduce((sum, length) => sum + length, 0);
    if (next > end) {
      throw corrupt("its directory is cut off");
    }
    listed.push(readListed(view, archive.subarray(at + DIRECTORY_BYTES, at + DIRECTORY_BYTES + (lengths[0] ?? 0)), at));
    at = next;
  }
  if (at !== end) {
    throw corrupt("its directory has more than it says");
  }
  return listed;
}

/** Where the end record begins: its comment reaches to the archive's last byte. */
function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= 0 && at >= last - MAX_COMMENT; at--) {
    if (view.getUint32(at, true) === END && at + END_BYTES + view.getUint16(at + 20, true) === view.byteLength) {
      return at;
    }
  }
  throw corrupt("it has no directory");
}

function readListed(view: DataView, rawName: Uint8Array, at: number): Listed {
  const name = nameOf(rawName);
  if ((view.getUint16(at + 8, true) & ENCRYPTED) !== 0) {
    throw new SkillsError("archive-encrypted", "The archive needs a password");
  }
  const type = (view.getUint32(at + 38, true) >>> 16) & TYPE_MASK;
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY) {
    throw isLink(name);
  }
  return {
    name,
    rawName,
    isDirectory: type === DIRECTORY || name.endsWith("/"),
    method: view.getUint16(at + 10, true),
    crc: view.getUint32(at + 16, true),
    packed: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    start: view.getUint32(at + 42, true),
  };
}

function nameOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw corrupt("the name of an entry is not UTF-8", cause);
  }
}

/** The packed bytes. An entry's name stands in two places; where they differ, two readers would see two archives. */
function dataOf({ name, rawName, start, packed }: Listed, view: DataView, archive: Uint8Array): Uint8Array {
  if (start + LOCAL_BYTES > view.byteLength || view.getUint32(start, true) !== LOCAL_ENTRY) {
    throw corrupt(`${JSON.stringify(name)} is not where the directory says`);
  }
  const nameStart = start + LOCAL_BYTES;
  const nameEnd = nameStart + view.getUint16(start + 26, true);
  const local = archive.subarray(nameStart, nameEnd);
  if (local.length !== rawName.length || local.some((byte, i) => byte !== rawName[i])) {
    throw corrupt(`an entry has two names, ${JSON.stringify(name)} is one of them`);
  }
  const from = nameEnd + view.getUint16(start + 28, true);
  if (from + packed > view.byteLength) {
    throw corrupt(`${JSON.stringify(name)} is cut off`);
  }
  return archive.subarray(from, from + packed);
}

/** The unpacked bytes; null when there are more than `left`. */
function contentOf(entry: Listed, data: Uint8Array, left: number): Uint8Array | null {
  const { name, method, size, crc, isDirectory } = entry;
  if (method !== STORE && method !== DEFLATE) {
    throw corrupt(`${JSON.stringify(name)} is compressed by method ${method}; only deflate is read`);
  }
  // What an entry says is not believed, but may be refused at once.
  if (size > left || (method === STORE && data.byteLength > left)) {
    return null;
  }
  const bytes = method === STORE ? data.slice() : decompress(data, "deflate", size);
  if (bytes?.byteLength !== size || (isDirectory && size !== 0)) {
    throw corrupt(`${JSON.stringify(name)} has not the size that is stated, ${counted(size, "byte")}`);
  }
  if (crc32(bytes) !== crc) {
    throw corrupt(`${JSON.stringify(name)} does not match its checksum`);
  }
  return bytes;
}
