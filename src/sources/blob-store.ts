/** Owns the contract between the packed source and storage. Implementations: kv-store.ts, r2-store.ts, memory-store.ts, tiered-store.ts. */

/**
 * Read-only storage of a bundle. Keys come from bundle/keys.ts. Absent is null; a store that cannot answer throws `storage-unavailable`.
 */
export interface BlobStore {
  /** Reads what never changes once written: blobs and indexes. */
  getImmutable(key: string): Promise<Uint8Array | null>;
  /** Reads what moves: pointers. As fresh as the store can be. */
  getCurrent(key: string): Promise<Uint8Array | null>;
}
