/** Owns reading a body up to a size. Never keeps more than that. */

import { joinBytes } from "./bytes.ts";

/**
 * The bytes of a body; null, and the rest is not read, when they are more than `most`.
 * @param mayKeep asked with each piece, by its bytes: whether it still has room with whoever else reads
 */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  mayKeep: (bytes: number) => boolean = () => true,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    size += next.value.length;
    if (size > most || !mayKeep(next.value.length)) {
      // Whoever sends may not care: it is not waited for.
      reader?.cancel().catch(() => undefined);
      return null;
    }
    pieces.push(next.value);
  }
  return joinBytes(pieces);
}
