/** Owns cutting text and bytes for the model: by bytes, at a character's end, saying where to go on. */

/** A part of some bytes. */
export interface Slice {
  readonly bytes: Uint8Array;
  /** Where it really begins. */
  readonly offset: number;
  /** Where to go on; null at the end. */
  readonly nextOffset: number | null;
}

/** A part of UTF-8 text. Both ends are moved back to where a character begins, but never so far that nothing is left. */
export function sliceText(bytes: Uint8Array, offset: number, limit: number): Slice {
  const start = characterStart(bytes, offset);
  const wanted = characterStart(bytes, start + limit);
  const end = wanted > start ? wanted : characterEnd(bytes, start);
  return slice(bytes, start, end);
}

/** A part of bytes that are no text. */
export function sliceBytes(bytes: Uint8Array, offset: number, limit: number): Slice {
  return slice(bytes, Math.min(offset, bytes.length), offset + limit);
}

function slice(bytes: Uint8Array, start: number, end: number): Slice {
  return { bytes: bytes.subarray(start, end), offset: start, nextOffset: end < bytes.length ? end : null };
}

function characterStart(bytes: Uint8Array, offset: number): number {
  let start = Math.min(offset, bytes.length);
  while (start > 0 && isContinuation(bytes[start])) {
    start--;
  }
  return start;
}

function characterEnd(bytes: Uint8Array, start: number): number {
  let end = Math.min(start + 1, bytes.length);
  while (isContinuation(bytes[end])) {
    end++;
  }
  return end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
