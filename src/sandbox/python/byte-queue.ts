/** Owns bytes on their way from a writer to a reader; never who they are. */

/** First in, first out. */
export class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  #head = 0;
  #length = 0;
  /** True when nothing more will come. */
  ended = false;

  get length(): number {
    return this.#length;
  }

  push(bytes: Uint8Array): void {
    if (bytes.length > 0) {
      this.#chunks.push(bytes.slice());
      this.#length += bytes.length;
    }
  }

  /** Moves bytes into a buffer; gives how many. */
  take(into: Uint8Array): number {
    let at = 0;
    for (let chunk = this.#chunks[0]; chunk !== undefined && at < into.length; chunk = this.#chunks[0]) {
      const piece = chunk.subarray(this.#head, this.#head + into.length - at);
      into.set(piece, at);
      at += piece.length;
      this.#head += piece.length;
      if (this.#head === chunk.length) {
        this.#chunks.shift();
        this.#head = 0;
      }
    }
    this.#length -= at;
    return at;
  }

  /** Everything there is. */
  takeAll(): Uint8Array {
    const all = new Uint8Array(this.#length);
    this.take(all);
    return all;
  }
}

/** All parts in a row. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
