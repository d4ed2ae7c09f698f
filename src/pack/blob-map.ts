/** Owns blobs by digest whose bytes are read when somebody asks for them. Never knows where they lie. */
import type { Digest } from "../model/digest.ts";

/** Bytes that may still lie on a disk. */
export interface LazyBytes {
  readonly size: number;
  /** Reads them, when they are not there yet. */
  readonly bytes: Uint8Array;
}

/** A map of blobs; identical ones count once. Going over its values or entries reads them all, `sources()` reads none. */
export class BlobMap implements ReadonlyMap<Digest, Uint8Array> {
  readonly #sources = new Map<Digest, LazyBytes>();

  get size(): number {
    return this.#sources.size;
  }

  add(digest: Digest, source: LazyBytes): void {
    this.#sources.set(digest, source);
  }

  addBytes(digest: Digest, bytes: Uint8Array): void {
    this.#sources.set(digest, { size: bytes.byteLength, bytes });
  }

  /** Digests with what knows their bytes. */
  sources(): IterableIterator<[Digest, LazyBytes]> {
    return this.#sources.entries();
  }

  has(digest: Digest): boolean {
    return this.#sources.has(digest);
  }

  get(digest: Digest): Uint8Array | undefined {
    return this.#sources.get(digest)?.bytes;
  }

  keys(): MapIterator<Digest> {
    return this.#sources.keys();
  }

  *values(): MapIterator<Uint8Array> {
    for (const { bytes } of this.#sources.values()) {
      yield bytes;
    }
  }

  *entries(): MapIterator<[Digest, Uint8Array]> {
    for (const [digest, { bytes }] of this.#sources) {
      yield [digest, bytes];
    }
  }

  [Symbol.iterator](): MapIterator<[Digest, Uint8Array]> {
    return this.entries();
  }

  forEach(use: (bytes: Uint8Array, digest: Digest, map: ReadonlyMap<Digest, Uint8Array>) => void): void {
    for (const [digest, bytes] of this) {
      use(bytes, digest, this);
    }
  }
}
