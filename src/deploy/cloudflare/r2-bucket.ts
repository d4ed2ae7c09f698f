/** Owns what a target needs of an R2 bucket. Implementations: r2-s3.ts and r2-rest.ts. */

/** An object with its version. */
export interface R2Object {
  readonly bytes: Uint8Array;
  readonly etag: string;
}

/** A bucket. Strongly consistent: what was written is read and listed at once, everywhere. */
export interface R2Bucket {
  /** Whether {@link putIf} is one step, or a look and then a write, between which somebody else may write. */
  readonly conditions: "atomic" | "looked-at";
  get(key: string): Promise<R2Object | null>;
  has(key: string): Promise<boolean>;
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Writes an object if it is still the version that was read, or, for null, if there is none; false otherwise. */
  putIf(key: string, bytes: Uint8Array, version: string | null): Promise<boolean>;
  /** Removes an object; one that is not there is none. */
  remove(key: string): Promise<void>;
  /** All keys below a prefix. */
  keys(prefix: string): Promise<Set<string>>;
}
