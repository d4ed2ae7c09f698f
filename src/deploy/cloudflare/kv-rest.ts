/** Owns the calls to Cloudflare's KV over its REST API, through the official client. Never decides what is written. */
import { APIError } from "cloudflare/error";
import { BaseKeys } from "cloudflare/resources/kv/namespaces/keys";
import { BaseNamespaces } from "cloudflare/resources/kv/namespaces/namespaces";
import { BaseValues } from "cloudflare/resources/kv/namespaces/values";
import { createClient } from "cloudflare/tree-shakable";
import { SkillsError } from "../../model/errors.ts";
import { mapLimited } from "../map-limited.ts";
import type { StoredEntry } from "../target.ts";
import { type Patience, sendPatiently } from "./patience.ts";

/** Which namespace, and as whom. */
export interface KvAccess {
  readonly apiToken: string;
  readonly accountId: string;
  readonly namespaceId: string;
  readonly baseUrl: string;
  readonly patience: Patience;
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
  readonly #namespaces: BaseNamespaces;
  readonly #keys: BaseKeys;
  readonly #values: BaseValues;

  constructor(access: KvAccess) {
    const { apiToken, baseUrl, patience } = access;
    const client = createClient({
      apiToken,
      // What the environment says is for other programs.
      apiKey: null,
      apiEmail: null,
      userServiceKey: null,
      baseURL: baseUrl,
      resources: [],
      logLevel: "off",
      // Both are ours.
      maxRetries: 0,
      timeout: 2 ** 31 - 1,
      fetch: (url, init) => patientFetch(String(url), init, patience),
    });
    this.#access = access;
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
          throw new SkillsError("storage-unavailable", `KV did not write ${left.length} of ${bulk.length} values`, {
            hint: "deploy again later: what was confirmed is not sent again",
          });
        }
        const body = left.map(({ key, bytes }) => ({ key, value: toBase64(bytes), base64: true }));
        const answer = await this.#called(() => this.#namespaces.bulkUpdate(namespaceId, { account_id, body }));
        const failed = new Set(answer?.unsuccessful_keys ?? []);
        onWritten(left.flatMap(({ key }) => (failed.has(key) ? [] : [key])));
        left = left.filter(({ key }) => failed.has(key));
      }
    });
  }

  /** Reads a value; null when there is none. */
  async get(key: string): Promise<Uint8Array | null> {
    const { accountId: account_id, namespaceId: namespace_id } = this.#access;
    return this.#called(async () => {
      try {
        const response = await this.#values.get(key, { account_id, namespace_id });
        return new Uint8Array(await response.arrayBuffer());
      } catch (error) {
        if (error instanceof APIError && error.status === 404 && isKeyNotFound(error)) {
          return null;
        }
        throw error;
      }
    });
  }

  /** All keys below a prefix. */
  async keys(prefix: string): Promise<Set<string>> {
    const { accountId: account_id, namespaceId } = this.#access;
    return this.#called(async () => {
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
      await this.#called(() => this.#namespaces.bulkDelete(namespaceId, { account_id, body }));
    }
  }

  async #called<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw this.#inOurWords(error);
    }
  }

  #inOurWords(error: unknown): unknown {
    const cause = error instanceof Error ? error.cause : null;
    if (SkillsError.is(cause)) {
      return cause;
    }
    if (!(error instanceof APIError)) {
      return error;
    }
    const { status, errors } = error;
    const told = (errors ?? []).map(({ message }) => message).join("; ") || `status ${status}`;
    if (status === 401 || status === 403) {
      return new SkillsError("credentials-invalid", `Cloudflare refuses the API token for this account's KV: ${told}`, {
        cause: error,
        hint: "the token needs Account › Workers KV Storage › Edit in the account of CLOUDFLARE_ACCOUNT_ID",
      });
    }
    if (status === 404) {
      return new SkillsError("storage-unavailable", `There is no KV namespace ${this.#access.namespaceId}: ${told}`, {
        cause: error,
        hint: "`npx wrangler kv namespace create SKILLS_KV` makes one and prints its id, for edge-skills.json and wrangler.toml",
      });
    }
    return new SkillsError("storage-unavailable", `Cloudflare's KV answered: ${told}`, { cause: error });
  }
}

function isKeyNotFound({ errors }: APIError): boolean {
  return (errors ?? []).some(({ code }) => code === KEY_NOT_FOUND);
}

async function patientFetch(url: string, init: RequestInit | undefined, patience: Patience): Promise<Response> {
  const send = (signal: AbortSignal) => fetch(url, { ...init, signal });
  const { status, headers, body } = await sendPatiently(`reach Cloudflare's KV`, send, patience);
  return new Response(status === 204 ? null : (body as Uint8Array<ArrayBuffer>), { status, headers: plain(headers) });
}

/** The body has been decoded already. */
function plain(headers: Headers): Headers {
  const copy = new Headers(headers);
  copy.delete("content-encoding");
  copy.delete("content-length");
  return copy;
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
