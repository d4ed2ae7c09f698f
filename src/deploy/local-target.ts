/** Owns deploying to the local platform's KV and R2. The order of writes is deploy.ts's. */
import { channelKey } from "../bundle/keys.ts";
import { decodePointer, encodePointer } from "../bundle/pointer-format.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { LocalPlatform } from "./local-platform.ts";
import type { DeployTarget, StoredEntry } from "./target.ts";

/** A KV value may have this many bytes; what is larger goes to R2. */
const KV_VALUE_BYTES = 25 * 1024 * 1024;

/** Writes under way at once. */
const CONCURRENCY = 32;

/** What of a running platform a target needs; its bindings are enough. */
export type TargetPlatform = Pick<LocalPlatform, "kv" | "r2" | "tokensOf" | "stop">;

/** Makes a target of a running local platform. Closing it ends the platform. */
export async function createLocalTarget(platform: TargetPlatform, state: string): Promise<DeployTarget> {
  const kv = await platform.kv();
  const r2 = await platform.r2();

  return {
    name: `local (${state})`,

    async missing(entries) {
      const present = new Set<string>();
      for (const prefix of new Set(entries.map(({ key }) => key.slice(0, key.indexOf("/") + 1)))) {
        await listInto(present, kv, prefix);
      }
      const lacking = await mapLimited(entries, async (entry) => {
        const isThere = isLarge(entry) ? (await r2.head(entry.key)) !== null : present.has(entry.key);
        return isThere ? [] : [entry];
      });
      return lacking.flat();
    },

    async put(entries) {
      await mapLimited(entries, async (entry) => {
        await (isLarge(entry) ? r2.put(entry.key, entry.bytes) : kv.put(entry.key, entry.bytes));
      });
    },

    async get(key) {
      const value = (await kv.get(key, "arrayBuffer")) ?? (await (await r2.get(key))?.arrayBuffer()) ?? null;
      return value === null ? null : new Uint8Array(value);
    },

    async readPointer(layer, channel) {
      const object = await r2.get(channelKey(layer, channel));
      return object === null
        ? { pointer: null, version: null }
        : { pointer: decodePointer(new Uint8Array(await object.arrayBuffer())), version: object.etag };
    },

    async writePointer(layer, channel, pointer, version) {
      const onlyIf = version === null ? { etagDoesNotMatch: "*" } : { etagMatches: version };
      return (await r2.put(channelKey(layer, channel), encodePointer(pointer), { onlyIf })) !== null;
    },

    async listLayers(channel) {
      const keys = new Set<string>();
      await listInto(keys, r2, "channel/");
      const layers = [...keys]
        .map((key) => key.split("/"))
        .flatMap(([, layer, name]) => (layer && name === channel ? [layer] : []));
      return layers.sort((a, b) => Number(b === PLATFORM_LAYER) - Number(a === PLATFORM_LAYER) || (a < b ? -1 : 1));
    },

    tokensOf: (tenant) => platform.tokensOf(tenant),
    close: () => platform.stop(),
  };
}

function isLarge({ bytes }: StoredEntry): boolean {
  return bytes.byteLength > KV_VALUE_BYTES;
}

type LocalKv = Awaited<ReturnType<LocalPlatform["kv"]>>;
type LocalR2 = Awaited<ReturnType<LocalPlatform["r2"]>>;

/** Adds every key below a prefix; both stores answer in pages. */
async function listInto(keys: Set<string>, store: LocalKv | LocalR2, prefix: string): Promise<void> {
  let cursor: string | undefined;
  do {
    const page = await store.list({ prefix, ...(cursor === undefined ? {} : { cursor }) });
    for (const item of "keys" in page ? page.keys.map((key) => key.name) : page.objects.map((object) => object.key)) {
      keys.add(item);
    }
    const isLast = "keys" in page ? page.list_complete : !page.truncated;
    cursor = isLast || !("cursor" in page) ? undefined : page.cursor;
  } while (cursor !== undefined);
}

/** Applies a function to all items, some at a time; results in order. */
async function mapLimited<T, R>(items: readonly T[], apply: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [i, item] of queue) {
      results[i] = await apply(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work));
  return results;
}
