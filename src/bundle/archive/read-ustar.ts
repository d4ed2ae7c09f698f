/** Owns reading a plain ustar in gzip: files and directories. Extensions of the format are refused, since they can say another name. Never judges a path. */
import { crc32 } from "./crc32.ts";
import { decompress } from "./decompress.ts";
import type { PlainEntry } from "./plain-entry.ts";
import { corrupt, isLink, type SkillArchiveLimits, tooLarge, tooMany, unpackedLimit } from "./refusal.ts";

const BLOCK = 512;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The entries in their order. Throws an `archive-…` error. */
export function readUstar(archive: Uint8Array, limits: SkillArchiveLimits): PlainEntry[] {
  const limit = unpackedLimit(archive, limits);
  // Beside its bytes an entry has a header and is filled up to a block.
  const tar = decompress(archive, "gzip", limit + 2 * BLOCK * (limits.entries + 10));
  if (tar === null) {
    throw tooLarge(limit);
  }
  requireFooter(archive, tar);
  const entries: PlainEntry[] = [];
  let left = limit;
  for (let at = 0; at + BLOCK <= tar.byteLength; ) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) {
      return entries;
    }
    const { name, size, isDirectory } = readHeader(header);
    left -= size;
    if (entries.length >= limits.entries) {
      throw tooMany(limits);
    }
    if (left < 0) {
      throw tooLarge(limit);
    }
    const start = at + BLOCK;
    if (start + size > tar.byteLength) {
      throw corrupt(`${JSON.stringify(name)} is cut off`);
    }
    entries.push({ name, isDirectory, bytes: tar.slice(start, start + size) });
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw corrupt("its end is missing");
}

/** Checksum and length stand at the very end; what follows them, or a second part, would be seen by some readers only. */
function requireFooter(archive: Uint8Array, tar: Uint8Array): void {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const at = archive.byteLength - 8;
  if (at < 0 || view.getUint32(at, true) !== crc32(tar) || view.getUint32(at + 4, true) !== tar.byteLength) {
    throw corrupt("its compression is damaged, cut off or in several parts");
  }
}

function readHeader(header: Uint8Array) {
  if (octal(header, 148, 8) !== sumOf(header)) {
    throw corrupt("the checksum of an entry does not fit");
  }
  // Old GNU archives have other things where ustar has the first part of a long path.
  const magic = text(header, 257, 6);
  if (magic !== "ustar" && magic !== "ustar ") {
    throw corrupt("it is no ustar");
  }
  const prefix = magic === "ustar" ? text(header, 345, 155) : "";
  const name = prefix === "" ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`;
  const type = String.fromCharCode(header[156] ?? 0);
  if ("12346".includes(type)) {
    throw isLink(name);
  }
  if (type !== "0" && type !== "\0" && type !== "5") {
    throw corrupt(`it has an entry of type ${JSON.stringify(type)}; only plain ustar is read`);
  }
  const isDirectory = type === "5" || name.endsWith("/");
  const size = octal(header, 124, 12);
  if (isDirectory && size !== 0) {
    throw corrupt(`${JSON.stringify(name)} is a directory with bytes`);
  }
  return { name, size, isDirectory };
}

/** The sum of a header's bytes, its own field counted as blanks. */
function sumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

function text(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  try {
    return decoder.decode(end < 0 ? field : field.subarray(0, end));
  } catch (cause) {
    throw corrupt("the name of an entry is not UTF-8", cause);
  }
}

function octal(header: Uint8Array, start: number, length: number): number {
  const digits = text(header, start, length).trim();
  if (!/^[0-7]{1,11}$/.test(digits)) {
    throw corrupt("an entry has a number that is none");
  }
  return Number.parseInt(digits, 8);
}
