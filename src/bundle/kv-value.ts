/** Owns how large a value in KV may be. What is larger lies in R2. */

const KV_VALUE_BYTES = 25 * 1024 * 1024;

/** Tells whether KV takes a value of so many bytes. */
export function fitsKv(bytes: number): boolean {
  return bytes <= KV_VALUE_BYTES;
}
