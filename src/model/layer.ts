/** Owns the names of layers, tenants and channels. */

/** The name of the layer that all tenants see. */
export const PLATFORM_LAYER = "platform";

/** The name of the layer of skills put at run time. */
export const RUNTIME_LAYER = "runtime";

/** The channel that callers see when nothing else is said. */
export const DEFAULT_CHANNEL = "live";

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Tells whether a text can name a tenant: a slug that is not the name of a layer of its own. */
export function isTenantName(name: string): boolean {
  return SLUG.test(name) && name !== PLATFORM_LAYER && name !== RUNTIME_LAYER;
}

/** Tells whether a text can name a channel. */
export function isChannelName(name: string): boolean {
  return SLUG.test(name);
}
