/** Owns the calls to R2 over its S3 API, the one with documented conditional writes. Never decides what is written. */
import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { SkillsError } from "../../model/errors.ts";
import { type Answer, type Patience, sendPatiently } from "./patience.ts";
import type { R2Bucket, R2Object } from "./r2-bucket.ts";

/** Which bucket, and as whom. */
export interface R2Access {
  /** The API token's id. */
  readonly accessKeyId: string;
  /** The SHA-256 of the API token, in hex (R2's documentation, "Get S3 API credentials from an API token"). */
  readonly secretAccessKey: string;
  /** `https://<account>.r2.cloudflarestorage.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly patience: Patience;
}

/** A bucket. */
export class R2S3 implements R2Bucket {
  readonly conditions = "atomic";
  readonly #access: R2Access;

  constructor(access: R2Access) {
    this.#access = access;
  }

  async get(key: string): Promise<R2Object | null> {
    const answer = await this.#send("GET", key);
    return answer === null ? null : { bytes: answer.body, etag: answer.headers.get("etag") ?? "" };
  }

  async has(key: string): Promise<boolean> {
    return (await this.#send("HEAD", key)) !== null;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#send("PUT", key, { body: bytes });
  }

  async putIf(key: string, bytes: Uint8Array, version: string | null): Promise<boolean> {
    const headers: Record<string, string> = version === null ? { "If-None-Match": "*" } : { "If-Match": version };
    const answer = await this.#send("PUT", key, { body: bytes, headers });
    if (answer?.status !== 412) {
      // With If-Match, what is not there any more is 404.
      return answer !== null;
    }
    // An earlier try of this very write may have been carried out without an answer.
    return answer.isUncertain && Buffer.compare((await this.get(key))?.bytes ?? new Uint8Array(), bytes) === 0;
  }

  async remove(key: string): Promise<void> {
    await this.#send("DELETE", key);
  }

  async keys(prefix: string): Promise<Set<string>> {
    const keys = new Set<string>();
    let token: string | null = null;
    do {
      const query: Record<string, string> = { "list-type": "2", prefix };
      const answer: Answer | null = await this.#send("GET", "", {
        query: token === null ? query : { ...query, "continuation-token": token },
      });
      const xml = new TextDecoder().decode(answer?.body);
      for (const [, key = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        keys.add(unescaped(key));
      }
      token = textOf(xml, "IsTruncated") === "true" ? textOf(xml, "NextContinuationToken") : null;
    } while (token !== null);
    return keys;
  }

  /** Null for what is not there. A failed condition is an answer with 412. */
  async #send(
    method: string,
    key: string,
    {
      body = null,
      headers = {},
      query = {},
    }: {
      readonly body?: Uint8Array | null;
      readonly headers?: Readonly<Record<string, string>>;
      readonly query?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<Answer | null> {
    const { accessKeyId, secretAccessKey, endpoint, bucket, patience } = this.#access;
    const url = new URL(`${endpoint}/${bucket}${key === "" ? "" : `/${key}`}`);
    url.search = new URLSearchParams(query).toString();
    const hash = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const send = async (signal: AbortSignal): Promise<Response> => {
      // Signed anew for each try: a signature counts for 15 minutes.
      const signer = new AwsV4Signer({
        method,
        url: url.href,
        headers: { ...headers, "X-Amz-Content-Sha256": hash },
        accessKeyId,
        secretAccessKey,
        service: "s3",
        region: "auto",
      });
      const signed = await signer.sign();
      return fetch(signed.url, {
        method,
        headers: signed.headers,
        body: body as Uint8Array<ArrayBuffer> | null,
        signal,
      });
    };
    const answer = await sendPatiently(`reach R2's bucket "${bucket}"`, send, patience);
    return this.#judge(answer, method);
  }

  #judge(answer: Answer, method: string): Answer | null {
    const { status } = answer;
    if (status < 300 || status === 412) {
      return answer;
    }
    const xml = new TextDecoder().decode(answer.body);
    const code = textOf(xml, "Code");
    if (status === 404 && code !== "NoSuchBucket") {
      // An answer to HEAD has no body; a missing bucket is told by the listing that every deploy begins with.
      return null;
    }
    const { bucket } = this.#access;
    const told = `${code ?? status}: ${textOf(xml, "Message") ?? method}`;
    if (status === 404) {
      throw new SkillsError("storage-unavailable", `There is no R2 bucket "${bucket}" in this account`, {
        hint: `\`npx wrangler r2 bucket create ${bucket}\` makes it`,
      });
    }
    if (status === 401 || status === 403) {
      throw new SkillsError("credentials-invalid", `R2 refuses the API token for bucket "${bucket}": ${told}`, {
        hint: "the token needs Account › Workers R2 Storage › Edit in the account of CLOUDFLARE_ACCOUNT_ID",
      });
    }
    throw new SkillsError("storage-unavailable", `R2 answered ${told}`);
  }
}

function textOf(xml: string, element: string): string | null {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  return text === undefined ? null : unescaped(text);
}

function unescaped(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}
