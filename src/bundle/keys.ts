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

/** The name of the layer that all tenants see. */
export const PLATFORM_LAYER = "platform";

/** The name of the layer of skills put at run time. */
export const RUNTIME_LAYER = "runtime";

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Tells whether a text can name a tenant: a slug that is not the name of a layer of its own. */
export function isTenantName(name: string): boolean {
  return SLUG.test(name) && name !== PLATFORM_LAYER && name !== RUNTIME_LAYER;
}

/** Tells whether a text can name a channel. */
export function isChannelName(name: string): boolean {
  return SLUG.test(name);
}
