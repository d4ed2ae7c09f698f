/** Owns how a bundle is read from Workers KV. Never writes. */
import type { BlobStore } from "./blob-store.ts";
import { reading, STORAGE_DEADLINE_MS } from "./storage-error.ts";

/** The part of a KV namespace that reading needs. */
export type KvReader = Pick<KVNamespace, "get">;

/** Immutable keys may stay in KV's caches for a year. */
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** The shortest time KV lets a read be cached. */
const SHORTEST_SECONDS = 30;

/**
 * Reads a bundle from KV. KV caches misses as well and may be a minute late, so a missing immutable key is read once more with the
 * shortest cache time before it is believed; pointers are read with the shortest cache time and are up to a minute late.
 */
export function createKvStore(kv: KvReader, deadlineMs = STORAGE_DEADLINE_MS): BlobStore {
  const read = async (key: string, cacheTtl: number): Promise<Uint8Array | null> => {
    const value = await reading(`KV key "${key}"`, () => kv.get(key, { type: "arrayBuffer", cacheTtl }), deadlineMs);
    return value === null ? null : new Uint8Array(value);
  };
  return {
    async getImmutable(key) {
      return (await read(key, YEAR_SECONDS)) ?? read(key, SHORTEST_SECONDS);
    },
    getCurrent: (key) => read(key, SHORTEST_SECONDS),
  };
}
