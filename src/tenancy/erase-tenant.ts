/**
 * Owns removing all that is a tenant's own. First what lets its callers in, then what they would see; begun again, it ends what was begun. Blobs of
 * its bundles stay: others may need them, and a prune knows.
 */
import { channelPrefix, runtimeKey } from "../bundle/keys.ts";
import type { TenantBook } from "./tenant-book.ts";
import type { UploadStorage } from "./upload-storage.ts";

/** What was removed. */
export interface ErasedTenant {
  readonly tokens: number;
  readonly secrets: number;
  readonly channels: readonly string[];
  /** Files and records of skills put at run time. */
  readonly files: number;
}

/** Keys removed at once. */
const AT_ONCE = 20;

/** Removes a tenant: its tokens, secrets, approvals and skills put at run time, the pointers of its layer, its name. */
export async function eraseTenant(
  tenant: string,
  { book, storage }: { readonly book: TenantBook; readonly storage: UploadStorage },
): Promise<ErasedTenant> {
  const { tokens, secrets } = await book.eraseTenant(tenant);
  const pointers = await removeBelow(channelPrefix(tenant), storage);
  const files = await removeBelow(runtimeKey(tenant, ""), storage);
  await book.unregisterTenant(tenant);
  const channels = pointers.map((key) => key.slice(channelPrefix(tenant).length));
  return { tokens, secrets, channels, files: files.length };
}

/** A listing has at most 1,000 keys: it is asked for until there is none. */
async function removeBelow(prefix: string, storage: UploadStorage): Promise<string[]> {
  const removed: string[] = [];
  for (let keys = await storage.keys(prefix); keys.length > 0; keys = await storage.keys(prefix)) {
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      await Promise.all(keys.slice(at, at + AT_ONCE).map((key) => storage.remove(key)));
    }
    removed.push(...keys);
  }
  return removed;
}
