/** Owns where an edge writes what a deploy brings: blobs and indexes to KV, what is larger and pointers to R2, as every other deploy does. */

import { decodeBlockList, encodeBlockList } from "../bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../bundle/keys.ts";
import { fitsKv } from "../bundle/kv-value.ts";
import { decodePointer, encodePointer, type Pointer } from "../bundle/pointer-format.ts";
import type { BlockList } from "../model/blocks.ts";
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";

/** KV takes one write of a key in a second: then this is waited before the one more try, milliseconds. */
const PAUSE_MS = 1_100;

/** How long a write may take, milliseconds; a blob of 25 MiB takes some seconds. */
const WRITE_MS = 30_000;

/** A pointer as it was read, with what a compare-and-set needs. */
export interface VersionedPointer {
  readonly pointer: Pointer | null;
  /** Opaque; null when the channel has none. */
  readonly version: string | null;
}

/** The block list as it was read, with what a compare-and-set needs. */
export interface VersionedBlockList {
  readonly list: BlockList;
  /** Opaque; null before the first. */
  readonly version: string | null;
}

/** What deploys need of storage. */
export interface UploadStorage {
  /** Writes a blob or an index, whether or not it is there. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes a large blob to R2 as it comes in, without ever holding it; false when its bytes are not those of the SHA-256 in hex digits: then nothing is written. */
  putStream(key: string, body: ReadableStream<Uint8Array>, size: number, sha256: string): Promise<boolean>;
  readPointer(layer: string, channel: string): Promise<VersionedPointer>;
  /** Writes a pointer if it is still the version that was read; the new version, or null when somebody else has moved it. */
  writePointer(layer: string, channel: string, pointer: Pointer, version: string | null): Promise<string | null>;
  /** The block list as it is now. */
  readBlockList(): Promise<VersionedBlockList>;
  /** Writes the block list if it is still the version that was read; false when somebody else has changed it. */
  writeBlockList(list: BlockList, version: string | null): Promise<boolean>;
  /** Keys below a prefix, in their order, at most 1,000 or `limit`; with `after` those behind that key. */
  keys(prefix: string, page?: { readonly after: string | null; readonly limit: number }): Promise<string[]>;
  /** Puts a note (FORMAT.md, Notes). */
  note(key: string): Promise<void>;
  /** Removes a note, a pointer, or what lies below `runtime/`. */
  remove(key: string): Promise<void>;
}

type Bucket = Pick<R2Bucket, "get" | "put" | "list" | "delete">;

/** Writes to a bucket, and to a namespace where there is one. */
export function createUploadStorage(bucket: Bucket, kv: Pick<KVNamespace, "put"> | null): UploadStorage {
  return {
    async put(key, bytes) {
      const write = async (): Promise<unknown> =>
        kv !== null && fitsKv(bytes.byteLength) ? kv.put(key, bytes) : bucket.put(key, bytes);
      await writing(key, async () => {
        try {
          await write();
        } catch {
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
          await write();
        }
      });
    },
    async putStream(key, body, size, sha256) {
      const { readable, writable } = new FixedLengthStream(size);
      const sent = body.pipeTo(writable);
      try {
        await bucket.put(key, readable, { sha256 });
        await sent;
        return true;
      } catch (cause) {
        await sent.catch(() => undefined);
        if (/checksum|sha-?256/i.test(String(cause))) {
          return false;
        }
        throw new SkillsError("storage-unavailable", `Cannot write "${key}"`, { cause });
      }
    },
    async readPointer(layer, channel) {
      const key = channelKey(layer, channel);
      return writing(key, async () => {
        const object = await bucket.get(key);
        return object === null
          ? { pointer: null, version: null }
          : { pointer: decodePointer(new Uint8Array(await object.arrayBuffer())), version: object.etag };
      });
    },
    async writePointer(layer, channel, pointer, version) {
      const key = channelKey(layer, channel);
      const onlyIf = unlessChanged(version);
      const written = await writing(key, () => bucket.put(key, encodePointer(pointer), { onlyIf }));
      return written?.etag ?? null;
    },
    readBlockList: () =>
      writing(BLOCK_LIST_KEY, async () => {
        const object = await bucket.get(BLOCK_LIST_KEY);
        const list = decodeBlockList(object && new Uint8Array(await object.arrayBuffer()));
        return { list, version: object?.etag ?? null };
      }),
    async writeBlockList(list, version) {
      const written = await writing(BLOCK_LIST_KEY, () =>
        bucket.put(BLOCK_LIST_KEY, encodeBlockList(list), { onlyIf: unlessChanged(version) }),
      );
      return written !== null;
    },
    async keys(prefix, page) {
      const options = page && { limit: page.limit, ...(page.after === null ? {} : { startAfter: page.after }) };
      return (await writing(prefix, () => bucket.list({ prefix, ...options }))).objects.map(({ key }) => key);
    },
    async note(key) {
      await writing(key, () => bucket.put(key, new Uint8Array()));
    },
    async remove(key) {
      await writing(key, () => bucket.delete(key));
    },
  };
}

function unlessChanged(version: string | null): R2Conditional {
  return version === null ? { etagDoesNotMatch: "*" } : { etagMatches: version };
}

async function writing<T>(key: string, act: () => Promise<T>): Promise<T> {
  try {
    return await inTime(act(), WRITE_MS);
  } catch (cause) {
    throw SkillsError.is(cause) ? cause : new SkillsError("storage-unavailable", `Cannot work on "${key}"`, { cause });
  }
}
