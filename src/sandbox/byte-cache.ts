/** Owns bytes kept by digest up to a bound, least recently used out first; never asks anyone for them. */
import type { Digest } from "../model/digest.ts";

export class ByteCache {
  readonly #limit: number;
  readonly #kept = new Map<Digest, Uint8Array>();
  #bytes = 0;

  /** @param limit bytes kept at most */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(digest: Digest): Uint8Array | undefined {
    const bytes = this.#kept.get(digest);
    if (bytes !== undefined) {
      this.#kept.delete(digest);
      this.#kept.set(digest, bytes);
    }
    return bytes;
  }

  put(digest: Digest, bytes: Uint8Array): void {
    if (bytes.length > this.#limit || this.#kept.has(digest)) {
      return;
    }
    this.#kept.set(digest, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, old] of this.#kept) {
      if (this.#bytes <= this.#limit) {
        return;
      }
      this.#kept.delete(oldest);
      this.#bytes -= old.length;
    }
  }
}

/** The bytes of digests in their order: from the cache, and the rest in one question. */
export async function readThrough(
  cache: ByteCache,
  digests: readonly Digest[],
  ask: (missing: readonly Digest[]) => Promise<Uint8Array[]>,
): Promise<Uint8Array[]> {
  const found = new Map<Digest, Uint8Array>();
  const missing = new Set<Digest>();
  for (const digest of digests) {
    const bytes = cache.get(digest);
    if (bytes === undefined) {
      missing.add(digest);
    } else {
      found.set(digest, bytes);
    }
  }
  if (missing.size > 0) {
    const asked = [...missing];
    const answers = await ask(asked);
    asked.forEach((digest, i) => {
      const bytes = answers[i];
      if (bytes === undefined) {
        throw new Error(`no bytes came for ${digest}`);
      }
      found.set(digest, bytes);
      cache.put(digest, bytes);
    });
  }
  return digests.map((digest) => found.get(digest) ?? new Uint8Array(0));
}
