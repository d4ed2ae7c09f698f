/** Owns where the files of skills put at run time lie: under the tenant's own keys, in R2 where there is one, which is consistent, else in KV. */
import { runtimeKey } from "../bundle/keys.ts";
import { SkillsError } from "../model/errors.ts";
import type { BlobStore } from "../sources/blob-store.ts";

/** Storage that can be written. */
export interface BlobWriter extends BlobStore {
  put(key: string, bytes: Uint8Array): Promise<void>;
  remove(key: string): Promise<void>;
}

/** The part of a namespace or bucket that writing needs. */
interface Puts {
  put(key: string, value: Uint8Array): Promise<unknown>;
  delete(key: string): Promise<void>;
}

/** A tenant's part of a store; `null` for a store that is not bound. */
export function createRuntimeStore(tenant: string, read: BlobStore, write: Puts): BlobWriter {
  const keyOf = (key: string): string => runtimeKey(tenant, key);
  return {
    getImmutable: (key) => read.getImmutable(keyOf(key)),
    getCurrent: (key) => read.getCurrent(keyOf(key)),
    async put(key, bytes) {
      try {
        await write.put(keyOf(key), bytes);
      } catch (cause) {
        throw new SkillsError("storage-unavailable", `Cannot write "${keyOf(key)}"`, { cause });
      }
    },
    remove: (key) => write.delete(keyOf(key)),
  };
}
