/**
 * Owns the body that carries several blobs to an edge in one request: for each a line `blob <digest> <size>` or `record <digest> <size>`, and then
 * its bytes. Never compares bytes with digests.
 */
import { joinBytes } from "../model/bytes.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";

/** One blob of a body. */
export interface Frame {
  /** `record`: a skill's record, which the edge reads; `blob`: anything else. */
  readonly kind: "blob" | "record";
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

const HEADER = /^(blob|record) (sha256:[0-9a-f]{64}) (0|[1-9][0-9]{0,9})$/;
const MAX_HEADER_BYTES = 100;
const LINE_FEED = 10;

/** Writes a body. */
export function encodeFrames(frames: readonly Frame[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = frames.flatMap(({ kind, digest, bytes }) => [
    encoder.encode(`${kind} ${digest} ${bytes.byteLength}\n`),
    bytes,
  ]);
  return joinBytes(parts);
}

/** Reads a body; its frames share the body's bytes. Throws `upload-invalid`. */
export function decodeFrames(body: Uint8Array): Frame[] {
  const frames: Frame[] = [];
  const decoder = new TextDecoder();
  let at = 0;
  while (at < body.byteLength) {
    const end = body.subarray(at, at + MAX_HEADER_BYTES).indexOf(LINE_FEED);
    const [, kind, digest, size] = HEADER.exec(decoder.decode(body.subarray(at, at + Math.max(end, 0)))) ?? [];
    if ((kind !== "blob" && kind !== "record") || !isDigest(digest)) {
      throw new SkillsError(
        "upload-invalid",
        `Cannot read the upload: at byte ${at} there is no line "blob <digest> <size>"`,
      );
    }
    const from = at + end + 1;
    const to = from + Number(size);
    if (to > body.byteLength) {
      throw new SkillsError("upload-invalid", `Cannot read the upload: ${digest} is cut off`);
    }
    frames.push({ kind, digest, bytes: body.subarray(from, to) });
    at = to;
  }
  return frames;
}
