/** Owns how much an upload over an edge's own API may hold. Both sides of the wire keep to it; docs/operations.md says why. */

const MIB = 1024 * 1024;

/** Limits of one upload, each with its unit. What is larger is deployed by the platform's operator. */
export const UPLOAD_LIMITS = {
  /** Skills in a bundle. */
  skills: 5_000,
  /** Blobs that a bundle refers to. */
  blobs: 20_000,
  /** Of an index: it travels inside a JSON body. */
  indexBytes: 3 * MIB,
  /** Of a skill's record: it is decoded and checked whole. */
  recordBytes: 4 * MIB,
  /** Entries of one request: a write each, of which six go on at a time. The platform lets a request ask its storage 1,000 times. */
  batchEntries: 100,
  /** Of one request that is held in memory; a larger blob goes to R2 as it comes in. */
  batchBytes: 8 * MIB,
  /** Of one blob. The platform ends a request's body at 100 MB on most plans. */
  blobBytes: 95 * MIB,
  /** What a tenant may send before a deploy ends the upload. */
  pendingBytes: 1024 * MIB,
  /** What is noted of the records among it, in characters: a deploy looks through all of that at once, in an isolate of 128 MB. */
  pendingNotes: 24 * MIB,
  /** Channels of a layer: whether a bundle is kept is looked up in all of them, within one request. */
  channels: 100,
  /** Uploads of a tenant at the same time. */
  open: 16,
} as const;

/** A blob that a bundle refers to, with its size in bytes. */
export type NamedSize = readonly [digest: string, size: number];
