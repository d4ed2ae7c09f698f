/** Owns deploying to KV and R2 of a Cloudflare account. The order of writes is deploy.ts's. */

import { decodeBlockList, encodeBlockList } from "../../bundle/block-list-format.ts";
import { BLOCK_LIST_KEY, channelKey } from "../../bundle/keys.ts";
import { fitsKv } from "../../bundle/kv-value.ts";
import { decodePointer, encodePointer } from "../../bundle/pointer-format.ts";
import { SkillsError } from "../../model/errors.ts";
import { mapLimited } from "../map-limited.ts";
import { type DeployTarget, layersIn, type PointerName, pointerOfKey } from "../target.ts";
import { Work } from "../work.ts";
import type { Confirmed } from "./confirmed.ts";
import { r2KeysOf } from "./credentials.ts";
import { KvRest } from "./kv-rest.ts";
import { CLOUDFLARE_API, DEFAULT_PATIENCE, type Patience } from "./patience.ts";
import type { R2Bucket } from "./r2-bucket.ts";
import { R2Rest } from "./r2-rest.ts";
import { R2S3 } from "./r2-s3.ts";

/** Where to deploy to, and as whom. */
export interface CloudflareTargetOptions {
  /** For people. */
  readonly name: string;
  readonly apiToken: string;
  /** Whose token it is: an API token (default), or that of `wrangler login`, which R2's S3 API with its conditional writes does not take. */
  readonly tokenOf?: "api" | "login";
  readonly accountId: string;
  readonly kvNamespaceId: string;
  readonly r2Bucket: string;
  /** Default {@link CLOUDFLARE_API}. */
  readonly apiBaseUrl?: string;
  /** R2's S3 API; default that of the account. */
  readonly r2Endpoint?: string;
  readonly patience?: Patience;
  /** What was confirmed a moment ago; default: nothing is known of it. */
  readonly confirmed?: Confirmed;
}

/** R2 requests under way at once. */
const CONCURRENCY = 6;

/** Opens a target; asks who the token is, and nothing else. Throws `credentials-invalid`. */
export async function openCloudflareTarget(options: CloudflareTargetOptions): Promise<DeployTarget> {
  const { name, apiToken, accountId, kvNamespaceId: namespaceId, r2Bucket: bucket } = options;
  const { confirmed = null, patience = DEFAULT_PATIENCE, apiBaseUrl: baseUrl = CLOUDFLARE_API } = options;
  const endpoint = options.r2Endpoint ?? `https://${accountId}.r2.cloudflarestorage.com`;
  const kv = new KvRest({ apiToken, accountId, namespaceId, baseUrl, patience });
  const r2: R2Bucket =
    options.tokenOf === "login"
      ? new R2Rest({ apiToken, accountId, bucket, baseUrl, patience })
      : new R2S3({ ...(await r2KeysOf(apiToken, { accountId, baseUrl, patience })), endpoint, bucket, patience });
  const listPointers = async (): Promise<readonly PointerName[]> =>
    [...(await r2.keys("channel/"))].flatMap(pointerOfKey);

  const target: DeployTarget = {
    name: `${name} (Cloudflare account ${accountId})`,
    // KV's bulk calls are few, large, and several at once.
    batch: { entries: 4_000, bytes: 64 * 1024 * 1024 },

    async missing(entries) {
      const prefixes = [...new Set(entries.map(({ key }) => key.slice(0, key.indexOf("/") + 1)))];
      const listed = await mapLimited(CONCURRENCY, prefixes, (prefix) => kv.keys(prefix));
      const lacking = await mapLimited(CONCURRENCY, entries, async (entry) => {
        const isKnown = confirmed?.has(entry.key) || listed.some((keys) => keys.has(entry.key));
        const isThere = fitsKv(entry.size) ? isKnown : await r2.has(entry.key);
        return isThere ? [] : [entry];
      });
      return lacking.flat();
    },

    async put(entries) {
      const small = entries.filter(({ bytes }) => fitsKv(bytes.byteLength));
      await kv.put(small, (keys) => confirmed?.add(keys));
      const large = entries.filter(({ bytes }) => !fitsKv(bytes.byteLength));
      await mapLimited(CONCURRENCY, large, ({ key, bytes }) => r2.put(key, bytes));
    },

    async get(key) {
      return (await kv.get(key)) ?? (await r2.get(key))?.bytes ?? null;
    },

    async keys(kind) {
      if (kind === "runtime") {
        return new Set(await r2.keys("runtime/"));
      }
      const [small, large] = await Promise.all([kv.keys(`${kind}/`), r2.keys(`${kind}/`)]);
      return new Set([...small, ...large]);
    },

    async remove(keys) {
      // R2 has no call that removes many by one request without a list of them in XML; large blobs are few.
      const large = new Set([...(await r2.keys("blob/")), ...(await r2.keys("index/"))]);
      const isRuntime = (key: string): boolean => key.startsWith("runtime/");
      await kv.remove(keys.filter((key) => !isRuntime(key)));
      await mapLimited(
        CONCURRENCY,
        keys.filter((key) => large.has(key) || isRuntime(key)),
        (key) => r2.remove(key),
      );
    },

    async readPointer(layer, channel) {
      const object = await r2.get(channelKey(layer, channel));
      return object === null
        ? { pointer: null, version: null }
        : { pointer: decodePointer(object.bytes), version: object.etag };
    },

    writePointer: (layer, channel, pointer, version) =>
      r2.putIf(channelKey(layer, channel), encodePointer(pointer), version),

    async readBlockList() {
      const object = await r2.get(BLOCK_LIST_KEY);
      return { list: decodeBlockList(object?.bytes ?? null), version: object?.etag ?? null };
    },

    writeBlockList: (list, version) => r2.putIf(BLOCK_LIST_KEY, encodeBlockList(list), version),

    removePointer: (layer, channel) => r2.remove(channelKey(layer, channel)),
    listPointers,
    async listLayers(channel) {
      return layersIn(await listPointers(), channel);
    },

    work: {
      put: (key) => r2.put(key, new Uint8Array()),
      list: async () => [...(await r2.keys("work/"))],
      remove: (key) => r2.remove(key),
    },

    async tokensOf() {
      throw new SkillsError("usage", `Tokens of ${name} cannot be reached through Cloudflare's API`, {
        hint: 'they live in the Durable Objects of the deployed edge: say where it answers with "url" in its settings, or --target https://…',
      });
    },

    close: async () => undefined,
  };
  return r2.conditions === "atomic" ? target : movedByOne(target);
}

/** Pointers that the store cannot compare and set are moved by one at a time: whoever meets another's note is refused. */
function movedByOne(target: DeployTarget): DeployTarget {
  return {
    ...target,
    async writePointer(layer, channel, pointer, version) {
      const work = await Work.begin(target, "move", "move", () => new Date());
      try {
        return await target.writePointer(layer, channel, pointer, version);
      } finally {
        await work.end();
      }
    },
  };
}
