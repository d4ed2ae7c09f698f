/** Owns what an entry of a plain archive is, whatever the format. */

/** An entry as it stands in an archive. */
export interface PlainEntry {
  /** As written. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** Empty for a directory. */
  readonly bytes: Uint8Array;
}
