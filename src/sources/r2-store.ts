/** Owns how a bundle is read from R2, which is consistent: what was written is there. Never writes. */
import type { BlobStore } from "./blob-store.ts";
import { reading, STORAGE_DEADLINE_MS } from "./storage-error.ts";

/** The part of a bucket that reading needs. */
export type R2Reader = Pick<R2Bucket, "get">;

/** Reads a bundle from R2. */
export function createR2Store(bucket: R2Reader, deadlineMs = STORAGE_DEADLINE_MS): BlobStore {
  const get = (key: string): Promise<Uint8Array | null> =>
    reading(`R2 object "${key}"`, () => readR2(bucket, key), deadlineMs);
  return { getImmutable: get, getCurrent: get };
}

async function readR2(bucket: R2Reader, key: string): Promise<Uint8Array | null> {
  const object = await bucket.get(key);
  return object === null ? null : new Uint8Array(await object.arrayBuffer());
}
