/** Owns unpacking deflate and gzip, bit by bit, so that a small archive never takes much memory before a limit stops it. The same in any runtime. */

import { Gunzip, Inflate } from "fflate";
import { joinBytes } from "../../model/bytes.ts";
import { corrupt } from "./refusal.ts";

/** Deflate makes at most a thousand times as much of it. */
const CHUNK = 4 * 1024;

/** The unpacked bytes; null as soon as there are more than `limit`. Throws `archive-corrupt`. */
export function decompress(packed: Uint8Array, format: "gzip" | "deflate", limit: number): Uint8Array | null {
  const parts: Uint8Array[] = [];
  let size = 0;
  const take = (part: Uint8Array) => {
    size += part.byteLength;
    parts.push(part);
  };
  const stream = format === "gzip" ? new Gunzip(take) : new Inflate(take);
  try {
    for (let at = 0; at < packed.byteLength; at += CHUNK) {
      // The stream may keep what it is given.
      stream.push(packed.slice(at, at + CHUNK), at + CHUNK >= packed.byteLength);
      if (size > limit) {
        return null;
      }
    }
  } catch (cause) {
    throw corrupt("its compression is damaged or cut off", cause);
  }
  return joinBytes(parts);
}
