/** Owns a bundle held in memory: for tests, for `edge-skills run`, and for Workers that ship their skills inside. */
import type { BlobStore } from "./blob-store.ts";

/** Reads a bundle from a map of storage keys to bytes. The map may change while the store is used. */
export function createMemoryStore(entries: ReadonlyMap<string, Uint8Array>): BlobStore {
  const get = async (key: string): Promise<Uint8Array | null> => entries.get(key) ?? null;
  return { getImmutable: get, getCurrent: get };
}
