/** Owns reading a tar, also in gzip, in memory. Never writes a file. */
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import type { ArchiveEntry } from "./entry.ts";
import { type ArchiveLimits, corrupt, tooLarge, tooMany, unpackedLimit } from "./limits.ts";

const BLOCK = 512;
/** Headers of an entry: its own, and one for a long name with its text. */
const HEADER_BYTES = 8 * BLOCK;

const KINDS: Readonly<Record<string, ArchiveEntry["kind"]>> = { file: "file", directory: "directory" };

/** All entries of a tar in gzip, in their order. Throws `archive-corrupt`, `-too-many-files` or `-too-large`. */
export async function readTarGz(bytes: Uint8Array, limits: ArchiveLimits): Promise<ArchiveEntry[]> {
  const limit = unpackedLimit(bytes.byteLength, limits);
  let tar: Uint8Array;
  try {
    tar = gunzipSync(bytes, { maxOutputLength: limit + limits.entries * HEADER_BYTES });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(limit)
      : corrupt("its compression is damaged or cut off", error);
  }
  return readTar(tar, limits, limit);
}

/** All entries of a tar without compression. */
export async function readTar(tar: Uint8Array, limits: ArchiveLimits, limit = limits.bytes): Promise<ArchiveEntry[]> {
  let left = limit;
  let count = 0;
  const refusal: { error: Error | null } = { error: null };
  const filter = ({ size }: { readonly size: number }): boolean => {
    left -= size;
    refusal.error ??= ++count > limits.entries ? tooMany(limits) : left < 0 ? tooLarge(limit) : null;
    return refusal.error === null;
  };
  try {
    const entries = await unpackTar(tar, { strict: true, filter });
    if (refusal.error === null) {
      return entries.map(({ header, data }) => ({
        name: header.name,
        kind: KINDS[header.type ?? "file"] ?? "special",
        bytes: data ?? new Uint8Array(),
      }));
    }
  } catch (error) {
    throw refusal.error ?? corrupt(error instanceof Error ? error.message : String(error), error);
  }
  throw refusal.error;
}

/** Tells whether bytes begin as a tar does. */
export function isTar(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1", 257, 262) === "ustar";
}
