/**
 * Owns reading a bundle: from storage through the isolate's cache, every blob checked against its digest.
 * Never decides which bundle; a pointer or a snapshot does.
 */
import { type BundleIndex, decodeIndex } from "../bundle/index-format.ts";
import { blobKey, indexKey } from "../bundle/keys.ts";
import { decodeRecord, type StoredRecord } from "../bundle/record-format.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import type { WordIndex } from "../model/word-index.ts";
import type { BlobStore } from "./blob-store.ts";
import type { ByteCache } from "./byte-cache.ts";

/** Blobs up to this many bytes stay in the isolate's cache. */
const CACHED_BLOB_BYTES = 1024 * 1024;

/** How much more than its bytes an index for searching takes in memory, about. */
const SEARCH_INDEX_FACTOR = 8;

/** Reads the parts of bundles. Immutable things are kept by digest and never expire. */
export class BundleReader {
  readonly #store: BlobStore;
  readonly #cache: ByteCache;

  constructor(store: BlobStore, cache: ByteCache) {
    this.#store = store;
    this.#cache = cache;
  }

  /** The index of a bundle, not kept here: what is made of it is (packed-bundle.ts). Throws `bundle-damaged`. */
  async readIndex(bundle: Digest): Promise<{ readonly index: BundleIndex; readonly bytes: number }> {
    const bytes = await this.readIndexBytes(bundle);
    return { index: decodeIndex(bytes), bytes: bytes.byteLength };
  }

  /** The index as it is stored. */
  readIndexBytes(bundle: Digest): Promise<Uint8Array> {
    return this.#read(indexKey(bundle), bundle);
  }

  /** The record of a skill, by the record's digest. */
  async readRecord(record: Digest): Promise<StoredRecord> {
    const key = `record:${record}`;
    const held = this.#cache.get<StoredRecord>(key);
    if (held) {
      return held;
    }
    // Not shared with other requests that ask meanwhile: a promise belongs to the request that made it.
    const bytes = await this.#read(blobKey(record), record);
    const stored = decodeRecord(bytes);
    this.#cache.set(key, stored, bytes.byteLength * 2);
    return stored;
  }

  /** The bytes of a file or compiled script. Callers must not change them: they may be shared. */
  async readBlob(digest: Digest): Promise<Uint8Array> {
    const key = `blob:${digest}`;
    const held = this.#cache.get<Uint8Array>(key);
    if (held) {
      return held;
    }
    const bytes = await this.#read(blobKey(digest), digest);
    if (bytes.byteLength <= CACHED_BLOB_BYTES) {
      this.#cache.set(key, bytes, bytes.byteLength);
    }
    return bytes;
  }

  /** The index that a bundle's skills are found by; null when it is of another version. */
  async readSearchIndex(digest: Digest): Promise<WordIndex | null> {
    const key = `search:${digest}`;
    const held = this.#cache.get<WordIndex>(key);
    if (held) {
      return held;
    }
    const [bytes, { SearchIndex }] = await Promise.all([
      this.#read(blobKey(digest), digest),
      import("../bundle/search-index.ts"),
    ]);
    const index = SearchIndex.decode(bytes);
    if (index !== null) {
      this.#cache.set(key, index, bytes.byteLength * SEARCH_INDEX_FACTOR);
    }
    return index;
  }

  async #read(key: string, digest: Digest): Promise<Uint8Array> {
    const bytes = await this.#store.getImmutable(key);
    if (bytes === null) {
      throw new SkillsError("bundle-damaged", `Cannot read "${key}": the bundle promises it, storage lacks it`);
    }
    if ((await digestOf(bytes)) !== digest) {
      throw new SkillsError("bundle-damaged", `Cannot read "${key}": its bytes are not those of its digest`);
    }
    return bytes;
  }
}
