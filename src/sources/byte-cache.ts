/**
 * Owns the per-isolate cache: decoded plain data, bounded in bytes, least recently used out first.
 * Never holds a promise, stream, response or stub: on Workers another request cannot use it (DESIGN.md §5).
 */

interface Held {
  readonly value: unknown;
  readonly bytes: number;
}

/** Bytes the packed data of one isolate may take, of the 128 MB it has. */
export const DEFAULT_CACHE_BYTES = 48 * 1024 * 1024;

/** A cache bounded by the bytes its values are said to take. What is larger than half of it passes by. */
export class ByteCache {
  readonly #limit: number;
  readonly #held = new Map<string, Held>();
  #bytes = 0;

  constructor(limitBytes: number = DEFAULT_CACHE_BYTES) {
    this.#limit = limitBytes;
  }

  /** Bytes its values are said to take together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is held under a key, or undefined. The caller knows its type: keys begin with what they name. */
  get<T>(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) {
      return undefined;
    }
    // Taking it out and putting it back makes it the youngest: a Map keeps the order of insertion.
    this.#held.delete(key);
    this.#held.set(key, held);
    return held.value as T;
  }

  /** Holds a value that takes about `bytes`. */
  set(key: string, value: unknown, bytes: number): void {
    this.delete(key);
    if (bytes > this.#limit / 2) {
      return;
    }
    this.#held.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= this.#limit) {
        return;
      }
      this.delete(oldest);
    }
  }

  /** Forgets a key. */
  delete(key: string): void {
    this.#bytes -= this.#held.get(key)?.bytes ?? 0;
    this.#held.delete(key);
  }
}
