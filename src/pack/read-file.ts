/** Owns reading one regular file, so that nothing else is ever waited for: no pipe, no device, no link. Never interprets bytes. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";

/** What became of reading a file. */
export type FileReading =
  | { readonly bytes: Uint8Array; readonly stats: Stats }
  /** Not a regular file. */
  | { readonly odd: true }
  /** Larger than was asked for; not read. */
  | { readonly size: number };

// Without O_NONBLOCK, opening a pipe that has taken a file's place waits for a writer.
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a file of at most `limit` bytes. Throws what the system throws. */
export function readRegularFile(path: string, limit: number): FileReading {
  const fd = openSync(path, FLAGS);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) {
      return { odd: true };
    }
    if (stats.size > limit) {
      return { size: stats.size };
    }
    const bytes = new Uint8Array(stats.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, null);
      if (read === 0) {
        break;
      }
      length += read;
    }
    return { bytes: length === bytes.length ? bytes : bytes.slice(0, length), stats };
  } finally {
    closeSync(fd);
  }
}
