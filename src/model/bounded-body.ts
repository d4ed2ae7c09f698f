/** Owns reading a body up to a size. Never keeps more than that. */

import { joinBytes } from "./bytes.ts";
import { inTime } from "./in-time.ts";

/** How much of a body that is refused is still taken in, and how long its sender may take. */
const MOST_PASSED_BYTES = 64 * 1024 * 1024;
const PASSING_MS = 2_000;

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

/**
 * Takes in a body that is refused, and keeps nothing of it: whoever is still sending when the connection ends sees that it broke, and not
 * the answer. One that is endless or slow is left.
 */
export async function passOver(body: ReadableStream<Uint8Array> | null): Promise<void> {
  const reader = body?.getReader();
  const passing = async (): Promise<void> => {
    let size = 0;
    for (
      let next = await reader?.read();
      next?.done === false && size < MOST_PASSED_BYTES;
      next = await reader?.read()
    ) {
      size += next.value.length;
    }
  };
  await inTime(passing(), PASSING_MS).catch(() => undefined);
  reader?.cancel().catch(() => undefined);
}
