/** Owns reading a zip in memory: sizes are counted, not believed, and every checksum is compared. Never writes a file. */

import { crc32, inflateRawSync } from "node:zlib";
import { type Entry, fromBuffer, type ZipFile } from "yauzl";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import type { ArchiveEntry } from "./entry.ts";
import { type ArchiveLimits, corrupt, tooLarge, tooMany, unpackedLimit } from "./limits.ts";
import { zipName } from "./zip-names.ts";

const ENCRYPTED = 0x1;
const STORE = 0;
const DEFLATE = 8;
/** Bytes that are unpacked at a time: zlib takes no fewer, and what an archive states is not believed to be much. */
const LEAST_CHUNK = 64;
const MOST_CHUNK = 64 * 1024;
/** The high half of the attributes is the mode of Unix, if that is where the entry was made. */
const MODE_SHIFT = 16;
const TYPE_MASK = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;

/** All entries of a zip, in their order. Throws `archive-corrupt`, `-encrypted`, `-too-many-files` or `-too-large`. */
export async function readZip(bytes: Uint8Array, limits: ArchiveLimits): Promise<ArchiveEntry[]> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await open(buffer);
  const entries = await listEntries(zip, limits);
  if (entries.some((entry) => (entry.generalPurposeBitFlag & ENCRYPTED) !== 0)) {
    throw new SkillsError("archive-encrypted", "The archive needs a password", { hint: "make it without one" });
  }
  const limit = unpackedLimit(bytes.byteLength, limits);
  const read: ArchiveEntry[] = [];
  let left = limit;
  for (const entry of entries) {
    const content = contentOf(entry, buffer, await dataStart(zip, entry), left);
    if (content === null) {
      throw tooLarge(limit);
    }
    left -= content.byteLength;
    read.push({ name: zipName(entry.fileNameRaw), kind: kindOf(entry), bytes: content });
  }
  return read;
}

function open(buffer: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    const options = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true };
    fromBuffer(buffer, options, (error, zip) => (error ? reject(corrupt(reasonOf(error), error)) : resolve(zip)));
  });
}

function listEntries(zip: ZipFile, limits: ArchiveLimits): Promise<Entry[]> {
  return new Promise((resolve, reject) => {
    const entries: Entry[] = [];
    zip.on("error", (error: Error) => reject(corrupt(reasonOf(error), error)));
    zip.on("end", () => resolve(entries));
    zip.on("entry", (entry: Entry) => {
      entries.push(entry);
      if (entries.length > limits.entries) {
        reject(tooMany(limits));
      } else {
        zip.readEntry();
      }
    });
    zip.readEntry();
  });
}

/** Where an entry's data begins. Its name stands in two places; where they differ, two readers would see two archives. */
async function dataStart(zip: ZipFile, entry: Entry): Promise<number> {
  try {
    const local = await zip.readLocalFileHeaderPromise(entry);
    if (entry.fileNameRaw.equals(local.fileName)) {
      return local.fileDataStart;
    }
  } catch (error) {
    throw corrupt(reasonOf(error), error);
  }
  throw corrupt(`an entry has two names, ${JSON.stringify(zipName(entry.fileNameRaw))} is one of them`);
}

/** The unpacked bytes; null when there are more than `left`. */
function contentOf(entry: Entry, archive: Buffer, start: number, left: number): Uint8Array | null {
  const name = JSON.stringify(zipName(entry.fileNameRaw));
  const packed = archive.subarray(start, start + entry.compressedSize);
  if (packed.byteLength !== entry.compressedSize) {
    throw corrupt(`${name} is cut off`);
  }
  if (entry.compressionMethod !== STORE && entry.compressionMethod !== DEFLATE) {
    throw corrupt(`${name} is compressed by method ${entry.compressionMethod}; only deflate is read`);
  }
  const content = entry.compressionMethod === STORE ? packed : inflated(packed, entry.uncompressedSize, left, name);
  if (content === null || content.byteLength > left) {
    return null;
  }
  if (content.byteLength !== entry.uncompressedSize) {
    throw corrupt(
      `${name} has ${counted(content.byteLength, "byte")}, not the ${entry.uncompressedSize} that are stated`,
    );
  }
  if (crc32(content) !== entry.crc32) {
    throw corrupt(`${name} does not match its checksum`);
  }
  return content;
}

function inflated(packed: Uint8Array, stated: number, left: number, name: string): Uint8Array | null {
  // What is unpacked is a part of its chunk and keeps all of it: by default 16 KiB for each small file.
  const chunkSize = Math.min(Math.max(stated, LEAST_CHUNK), MOST_CHUNK);
  try {
    return inflateRawSync(packed, { chunkSize, maxOutputLength: left + 1 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") {
      return null;
    }
    throw corrupt(`${name} cannot be unpacked`, error);
  }
}

/** By the mode, which links and devices are marked by, whatever system the entry says it is from; else by the slash at its end. */
function kindOf(entry: Entry): ArchiveEntry["kind"] {
  const type = (entry.externalFileAttributes >>> MODE_SHIFT) & TYPE_MASK;
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY) {
    return "special";
  }
  return type === DIRECTORY || /[/\\]$/.test(zipName(entry.fileNameRaw)) ? "directory" : "file";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
