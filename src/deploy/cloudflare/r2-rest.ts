/** Owns the calls to R2 over Cloudflare's REST API, for tokens that its S3 API does not take. Never decides what is written. */
import { BaseObjects } from "cloudflare/resources/r2/buckets/objects";
import { type ApiAccess, type ApiPart, apiClient, called, hasCode } from "./api-client.ts";
import type { R2Bucket, R2Object } from "./r2-bucket.ts";

/** Which bucket, and as whom. */
export interface R2RestAccess extends ApiAccess {
  readonly bucket: string;
}

/** "The specified key does not exist." */
const KEY_NOT_FOUND = 10007;
const PAGE = 1_000;

/** A bucket. Its documentation knows no conditional writes. */
export class R2Rest implements R2Bucket {
  readonly conditions = "looked-at";
  readonly #bucket: string;
  readonly #place: { readonly account_id: string; readonly bucket_name: string };
  readonly #part: ApiPart;
  readonly #objects: BaseObjects;

  constructor(access: R2RestAccess) {
    const { accountId: account_id, bucket } = access;
    this.#bucket = bucket;
    this.#place = { account_id, bucket_name: bucket };
    this.#part = {
      name: "R2",
      permission: "Workers R2 Storage",
      missing: (told) => ({
        message: `There is no R2 bucket "${bucket}" in this account: ${told}`,
        hint: `\`npx wrangler r2 bucket create ${bucket}\` makes it`,
      }),
    };
    this.#objects = new BaseObjects(apiClient(access, this.#part));
  }

  async get(key: string): Promise<R2Object | null> {
    const response = await this.#unlessMissing(() => this.#objects.get(key, this.#place));
    return response === null
      ? null
      : { bytes: new Uint8Array(await response.arrayBuffer()), etag: response.headers.get("etag") ?? "" };
  }

  async has(key: string): Promise<boolean> {
    return (await this.keys(key)).has(key);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await called(this.#part, () => this.#objects.upload(key, bytes, this.#place));
  }

  async putIf(key: string, bytes: Uint8Array, version: string | null): Promise<boolean> {
    const there = await this.get(key);
    if ((there?.etag ?? null) !== version) {
      return false;
    }
    await this.put(key, bytes);
    return true;
  }

  async remove(key: string): Promise<void> {
    await this.#unlessMissing(() => this.#objects.delete(key, this.#place));
  }

  async keys(prefix: string): Promise<Set<string>> {
    return called(this.#part, async () => {
      const { account_id } = this.#place;
      const keys = new Set<string>();
      for await (const { key } of this.#objects.list(this.#bucket, { account_id, prefix, per_page: PAGE })) {
        if (key !== undefined) {
          keys.add(key);
        }
      }
      return keys;
    });
  }

  async #unlessMissing<T>(call: () => Promise<T>): Promise<T | null> {
    return called(this.#part, async () => {
      try {
        return await call();
      } catch (error) {
        if (hasCode(error, KEY_NOT_FOUND)) {
          return null;
        }
        throw error;
      }
    });
  }
}
