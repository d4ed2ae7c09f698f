/** Owns refusing to take, over the edge's own API, what was recalled: before bytes are sent, and again before a channel moves. */
import type { IndexEntry } from "../bundle/index-format.ts";
import { blockedBy, blockedError } from "../model/blocks.ts";
import type { Digest } from "../model/digest.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** What somebody wants to send, or to make live. */
export interface Offered {
  readonly bundle?: Digest;
  readonly skills?: readonly IndexEntry[];
  /** Records, files, compiled scripts. */
  readonly blobs?: readonly string[];
}

/** Throws `bundle-blocked`, `skill-blocked` or `file-blocked`, with the reason, for what was recalled. */
export async function refuseRecalled(
  storage: Pick<UploadStorage, "readBlockList">,
  { bundle, skills = [], blobs = [] }: Offered,
): Promise<void> {
  const blocked = blockedBy((await storage.readBlockList()).list);
  if (blocked.key === "") {
    return;
  }
  const block = blocked.of(bundle);
  if (block !== null) {
    throw blockedError("bundle-blocked", "this bundle", block);
  }
  for (const { name, digest, record } of skills) {
    const hit = blocked.of(digest, record);
    if (hit !== null) {
      throw blockedError("skill-blocked", `skill "${name}"`, hit);
    }
  }
  for (const digest of blobs) {
    const hit = blocked.of(digest as Digest);
    if (hit !== null) {
      throw blockedError("file-blocked", `the file ${digest}`, hit);
    }
  }
}
