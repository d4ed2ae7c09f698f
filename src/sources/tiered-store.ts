/** Owns the use of KV and R2 together: KV for what never changes, R2 for pointers and for blobs over KV's 25 MiB. */
import type { BlobStore } from "./blob-store.ts";

/** Reads immutable keys from `near` and, where that has none, from `whole`; pointers from `whole` only. */
export function createTieredStore(near: BlobStore, whole: BlobStore): BlobStore {
  return {
    async getImmutable(key) {
      return (await near.getImmutable(key)) ?? whole.getImmutable(key);
    },
    getCurrent: (key) => whole.getCurrent(key),
  };
}
