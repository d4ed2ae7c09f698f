/** Owns hashing on the packing side, at once and without a promise per file. Never reads a file. */
import { hash } from "node:crypto";
import type { Digest } from "../model/digest.ts";

/** The digest of some bytes, or of a text's UTF-8 bytes. */
export function sha256(content: Uint8Array | string): Digest {
  return `sha256:${hash("sha256", content, "hex")}` as Digest;
}
