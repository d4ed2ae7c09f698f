/** Owns deploying to the local platform's KV and R2. The order of writes is deploy.ts's. */

import { decodeBlockList, encodeBlockList } from "../bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../bundle/keys.ts";
import { fitsKv } from "../bundle/kv-value.ts";
import { decodePointer, encodePointer } from "../bundle/pointer-format.ts";
import type { LocalPlatform, RunningPlatform } from "./local-platform.ts";
import { mapLimited } from "./map-limited.ts";
import { type DeployTarget, layersIn, type PointerName, pointerOfKey } from "./target.ts";

/** Writes under way at once. */
const CONCURRENCY = 32;

/** What of a running platform a target needs; its bindings are enough. */
export type TargetPlatform = Omit<RunningPlatform, "url">;

/** Makes a target of a running local platform. Closing it ends the platform. */
export async function createLocalTarget(platform: TargetPlatform, state: string): Promise<DeployTarget> {
  const kv = await platform.kv();
  const r2 = await platform.r2();

  const readCurrent = async (key: string): Promise<{ bytes: Uint8Array; version: string } | null> => {
    const object = await r2.get(key);
    return object && { bytes: new Uint8Array(await object.arrayBuffer()), version: object.etag };
  };
  const writeIf = async (key: string, bytes: Uint8Array, version: string | null): Promise<boolean> => {
    const onlyIf = version === null ? { etagDoesNotMatch: "*" } : { etagMatches: version };
    return (await r2.put(key, bytes, { onlyIf })) !== null;
  };
  const listPointers = async (): Promise<readonly PointerName[]> =>
    [...(await listed("channel/", r2))].flatMap(pointerOfKey);

  return {
    name: `local (${state})`,

    async missing(entries) {
      const present = new Set<string>();
      for (const prefix of new Set(entries.map(({ key }) => key.slice(0, key.indexOf("/") + 1)))) {
        await listInto(present, kv, prefix);
      }
      const lacking = await mapLimited(CONCURRENCY, entries, async (entry) => {
        const isThere = fitsKv(entry.size) ? present.has(entry.key) : (await r2.head(entry.key)) !== null;
        return isThere ? [] : [entry];
      });
      return lacking.flat();
    },

    async put(entries) {
      await mapLimited(CONCURRENCY, entries, async ({ key, bytes }) => {
        await (fitsKv(bytes.byteLength) ? kv.put(key, bytes) : r2.put(key, bytes));
      });
    },

    async get(key) {
      const value = (await kv.get(key, "arrayBuffer")) ?? (await (await r2.get(key))?.arrayBuffer()) ?? null;
      return value === null ? null : new Uint8Array(value);
    },

    keys: (kind) => listed(`${kind}/`, kv, r2),

    async remove(keys) {
      await mapLimited(CONCURRENCY, keys, async (key) => {
        await Promise.all([kv.delete(key), r2.delete(key)]);
      });
    },

    async readPointer(layer, channel) {
      const read = await readCurrent(channelKey(layer, channel));
      return read === null
        ? { pointer: null, version: null }
        : { pointer: decodePointer(read.bytes), version: read.version };
    },

    writePointer: (layer, channel, pointer, version) =>
      writeIf(channelKey(layer, channel), encodePointer(pointer), version),

    async readBlockList() {
      const read = await readCurrent(BLOCK_LIST_KEY);
      return { list: decodeBlockList(read?.bytes ?? null), version: read?.version ?? null };
    },

    writeBlockList: (list, version) => writeIf(BLOCK_LIST_KEY, encodeBlockList(list), version),

    removePointer: (layer, channel) => r2.delete(channelKey(layer, channel)),
    listPointers,
    async listLayers(channel) {
      return layersIn(await listPointers(), channel);
    },

    work: {
      async put(key) {
        await r2.put(key, new Uint8Array());
      },
      list: async () => [...(await listed("work/", r2))],
      remove: (key) => r2.delete(key),
    },

    tokensOf: (tenant) => platform.tokensOf(tenant),
    close: () => platform.stop(),
  };
}

type LocalKv = Awaited<ReturnType<LocalPlatform["kv"]>>;
type LocalR2 = Awaited<ReturnType<LocalPlatform["r2"]>>;

/** Every key below a prefix in some stores. */
async function listed(prefix: string, ...stores: readonly (LocalKv | LocalR2)[]): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const store of stores) {
    await listInto(keys, store, prefix);
  }
  return keys;
}

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
