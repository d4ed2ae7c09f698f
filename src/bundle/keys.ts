/** Owns every storage key: nothing else puts one together. See FORMAT.md. */
import { type Digest, hexOf } from "../model/digest.ts";

/** Where the bytes of a file, a skill record or a compiled script lie. */
export function blobKey(digest: Digest): string {
  return `blob/${hexOf(digest)}`;
}

/** Where a bundle's index lies; its digest is the bundle's name. */
export function indexKey(digest: Digest): string {
  return `index/${hexOf(digest)}`;
}

/** Where a channel's pointer lies. */
export function channelKey(layer: string, channel: string): string {
  return `channel/${layer}/${channel}`;
}

/** Where the list of what is blocked lies; every pointer has a copy of it. */
export const BLOCK_LIST_KEY = "blocked/list";

/** Where a tenant keeps what belongs to its skills put at run time: beside the keys of bundles, so that no deploy or prune touches it. */
export function runtimeKey(tenant: string, key: string): string {
  return `runtime/${tenant}/${key}`;
}

/** The beginning of the keys of one layer's pointers; of all pointers for null. */
export function channelPrefix(layer: string | null): string {
  return layer === null ? "channel/" : `channel/${layer}/`;
}

/** How long a note counts when it is not taken back, milliseconds: a process that was killed holds others up no longer. */
export const WORK_MS = 10 * 60_000;

/** Where a note lies that says who works on the store: beside everything else, gone when the work is done. */
export function workKey(kind: string, name: string): string {
  return `work/${kind}/${name}`;
}
