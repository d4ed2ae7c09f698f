/** Owns the block list as it is stored: by itself, and as a copy in every pointer. Never reads storage. FORMAT.md is the normative text. */
import * as z from "zod/mini";
import { type BlockList, NO_BLOCKS } from "../model/blocks.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { BUNDLE_FORMAT, parseDocument } from "./index-format.ts";

const digest = z.custom<Digest>(isDigest, "not a digest");

/** The list inside a document. */
export const blockListSchema = z.object({
  seq: z.number().check(z.int(), z.minimum(0)),
  blocks: z.array(z.object({ digest, reason: z.string(), at: z.string(), by: z.string(), with: z.optional(digest) })),
});

const documentSchema = z.object({ format: z.literal(BUNDLE_FORMAT), ...blockListSchema.shape });

/** Writes a list as the document of its own. */
export function encodeBlockList({ seq, blocks }: BlockList): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ format: BUNDLE_FORMAT, seq, blocks })}\n`);
}

/** Reads the document; null, for none, is the empty list. Throws `bundle-format-unknown` or `bundle-damaged`. */
export function decodeBlockList(bytes: Uint8Array | null): BlockList {
  if (bytes === null) {
    return NO_BLOCKS;
  }
  const parsed = documentSchema.safeParse(parseDocument(bytes, "block list"));
  if (!parsed.success) {
    throw new SkillsError("bundle-damaged", `Cannot read block list: ${z.prettifyError(parsed.error)}`);
  }
  const { seq, blocks } = parsed.data;
  // JSON has no `undefined`: `with` is a digest or absent.
  return { seq, blocks } as BlockList;
}
