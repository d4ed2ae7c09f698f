/** A store that counts what it is asked, and fails or answers otherwise when a test says so. */
import type { BlobStore } from "../../src/sources/blob-store.ts";

/** Reads a map of entries and keeps the keys that were asked for. */
export class CountingStore implements BlobStore {
  readonly entries: Map<string, Uint8Array>;
  /** Keys in the order in which they were read. */
  readonly reads: string[] = [];
  /** What reading throws; null while storage works. */
  failure: Error | null = null;

  constructor(entries: ReadonlyMap<string, Uint8Array>) {
    this.entries = new Map(entries);
  }

  getImmutable(key: string): Promise<Uint8Array | null> {
    return this.#get(key);
  }

  getCurrent(key: string): Promise<Uint8Array | null> {
    return this.#get(key);
  }

  async #get(key: string): Promise<Uint8Array | null> {
    this.reads.push(key);
    if (this.failure) {
      throw this.failure;
    }
    return this.entries.get(key) ?? null;
  }
}
