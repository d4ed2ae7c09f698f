/** Owns the pointer of a channel: which bundle is live, which were. The only mutable document. Never reads storage. */
import * as z from "zod/mini";
import type { BlockList } from "../model/blocks.ts";
import { type Digest, isDigest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { blockListSchema } from "./block-list-format.ts";
import { BUNDLE_FORMAT, parseDocument } from "./index-format.ts";

/** How many earlier bundles a channel keeps, the live one among them. Pinned callers and rollback reach no further. */
export const HISTORY_LENGTH = 50;

/** One move of a channel. */
export interface PointerMove {
  readonly bundle: Digest;
  /** When, ISO 8601 in UTC. */
  readonly at: string;
  /** Who moved it. */
  readonly by: string;
  readonly reason: "deploy" | "rollback";
  /** The git commit the skills were packed from; absent when it is not known. */
  readonly commit?: string;
}

/** A channel's pointer. */
export interface Pointer {
  readonly format: typeof BUNDLE_FORMAT;
  /** The live bundle. */
  readonly bundle: Digest;
  /** Newest first, the live one at its head; at most {@link HISTORY_LENGTH}. */
  readonly history: readonly PointerMove[];
  /** A copy of the block list, so that it comes with the read that is made anyway; absent before anything was blocked. */
  readonly blocked?: BlockList;
}

const digest = z.custom<Digest>(isDigest, "not a digest");
const pointerSchema = z.object({
  format: z.literal(BUNDLE_FORMAT),
  bundle: digest,
  history: z.array(
    z.object({
      bundle: digest,
      at: z.string(),
      by: z.string(),
      reason: z.enum(["deploy", "rollback"]),
      commit: z.optional(z.string()),
    }),
  ),
  blocked: z.optional(blockListSchema),
});

/** The pointer after a move. */
export function movePointer(pointer: Pointer | null, move: PointerMove): Pointer {
  const history = [move, ...(pointer?.history ?? [])].slice(0, HISTORY_LENGTH);
  return { ...pointer, format: BUNDLE_FORMAT, bundle: move.bundle, history };
}

/** The pointer with a copy of the block list; the same pointer when its own is as new. */
export function withBlockList(pointer: Pointer, list: BlockList): Pointer {
  return (pointer.blocked?.seq ?? 0) >= list.seq ? pointer : { ...pointer, blocked: list };
}

/** Writes a pointer. */
export function encodePointer(pointer: Pointer): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(pointer)}\n`);
}

/** Reads a pointer. Throws `bundle-format-unknown` or `bundle-damaged`. */
export function decodePointer(bytes: Uint8Array): Pointer {
  const parsed = pointerSchema.safeParse(parseDocument(bytes, "pointer"));
  if (!parsed.success) {
    throw new SkillsError("bundle-damaged", `Cannot read channel pointer: ${z.prettifyError(parsed.error)}`);
  }
  // JSON has no `undefined`: a commit is a text or absent.
  return parsed.data as Pointer;
}
