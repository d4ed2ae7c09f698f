/** Owns the calls to Cloudflare's KV over its REST API, through the official client. Never decides what is written. */

import { BaseKeys } from "cloudflare/resources/kv/namespaces/keys";
import { BaseNamespaces } from "cloudflare/resources/kv/namespaces/namespaces";
import { BaseValues } from "cloudflare/resources/kv/namespaces/values";
import { counted } from "../../model/counted.ts";
import { SkillsError } from "../../model/errors.ts";
import { mapLimited } from "../map-limited.ts";
import type { StoredEntry } from "../target.ts";
import { type ApiAccess, type ApiPart, apiClient, called, hasCode } from "./api-client.ts";

/** Which namespace, and as whom. */
export interface KvAccess extends ApiAccess {
  readonly namespaceId: string;
}

/** Of one bulk call. The API takes 10,000 pairs and 100 MB; large ones time out (workers-sdk#7021), so wrangler sends 1,000. */
const BULK_PAIRS = 1_000;
/** Before base64, which adds a third. */
const BULK_BYTES = 20 * 1024 * 1024;
const CONCURRENCY = 4;
const PAGE = 1_000;
/** Sendings of what a bulk call says it did not write. */
const ROUNDS = 5;

/** Not found: the key is; the namespace is the other 404. */
const KEY_NOT_FOUND = 10009;

/** A namespace as a store of immutable entries. */
export class KvRest {
  readonly #access: KvAccess;
  readonly #part: ApiPart;
  readonly #namespaces: BaseNamespaces;
  readonly #keys: BaseKeys;
  readonly #values: BaseValues;

  constructor(access: KvAccess) {
    this.#access = access;
    this.#part = {
      name: "KV",
      permission: "Workers KV Storage",
      missing: (told) => ({
        message: `There is no KV namespace ${access.namespaceId}: ${told}`,
        hint: "`npx wrangler kv namespace create SKILLS_KV` makes one and prints its id, for edge-skills.json and wrangler.toml",
      }),
    };
    const client = apiClient(access, this.#part);
    this.#namespaces = new BaseNamespaces(client);
    this.#keys = new BaseKeys(client);
    this.#values = new BaseValues(client);
  }

  /** Writes entries; each call says what it wrote, which is told, and what it did not, which is sent again. */
  async put(entries: readonly StoredEntry[], onWritten: (keys: readonly string[]) => void): Promise<void> {
    const { accountId: account_id, namespaceId } = this.#access;
    await mapLimited(CONCURRENCY, bulks(entries), async (bulk) => {
      let left = bulk;
      for (let round = 0; left.length > 0; round++) {
        if (round === ROUNDS) {
          throw new SkillsError(
            "storage-unavailable",
            `KV did not write ${left.length} of ${counted(bulk.length, "value")}`,
            {
              hint: "deploy again later: what was confirmed is not sent again",
            },
          );
        }
        const body = left.map(({ key, bytes }) => ({ key, value: toBase64(bytes), base64: true }));
        const answer = await called(this.#part, () => this.#namespaces.bulkUpdate(namespaceId, { account_id, body }));
        const failed = new Set(answer?.unsuccessful_keys ?? []);
        onWritten(left.flatMap(({ key }) => (failed.has(key) ? [] : [key])));
        left = left.filter(({ key }) => failed.has(key));
      }
    });
  }

  /** Reads a value; null when there is none. */
  async get(key: string): Promise<Uint8Array | null> {
    const { accountId: account_id, namespaceId: namespace_id } = this.#access;
    return called(this.#part, async () => {
      try {
        const response = await this.#values.get(key, { account_id, namespace_id });
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        if (hasCode(error, KEY_NOT_FOUND)) {
          return null;
        }
        throw error;
      }
    });
  }

  /** All keys below a prefix. */
  async keys(prefix: string): Promise<Set<string>> {
    const { accountId: account_id, namespaceId } = this.#access;
    return called(this.#part, async () => {
      const names = new Set<string>();
      for await (const { name } of this.#keys.list(namespaceId, { account_id, prefix, limit: PAGE })) {
        names.add(name);
      }
      return names;
    });
  }

  /** Removes keys. */
  async remove(keys: readonly string[]): Promise<void> {
    const { accountId: account_id, namespaceId } = this.#access;
    for (let at = 0; at < keys.length; at += BULK_PAIRS) {
      const body = keys.slice(at, at + BULK_PAIRS);
      await called(this.#part, () => this.#namespaces.bulkDelete(namespaceId, { account_id, body }));
    }
  }
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Entries in bulks that are small enough by count and by bytes. */
export function bulks(entries: readonly StoredEntry[]): StoredEntry[][] {
  const all: StoredEntry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const last = all.at(-1);
    if (last === undefined || last.length === BULK_PAIRS || bytes + entry.bytes.byteLength > BULK_BYTES) {
      all.push([entry]);
      bytes = entry.bytes.byteLength;
    } else {
      last.push(entry);
      bytes += entry.bytes.byteLength;
    }
  }
  return all;
}
