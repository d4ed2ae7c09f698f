/** R2's objects over Cloudflare's REST API: no conditional writes, listings in pages. Error codes are those of developers.cloudflare.com/r2/api/error-codes. */
import { createHash } from "node:crypto";
import { ACCOUNT, type ApiAnswer, type ApiRequest, BUCKET, type Stores } from "./account.ts";
import { problem, result } from "./rest-answer.ts";

const MAX_PAGE = 1_000;

/** The part of a path that is R2's. */
export const R2_PATH = /^\/accounts\/(\w+)\/r2\/buckets\/([\w-]+)\/objects(?:\/(.+))?$/;

/** Answers a request for `/accounts/<account>/r2/buckets/<bucket>/objects[/<key>]`; the token has been looked at. */
export function answerR2({ r2 }: Stores, { method, url, body }: ApiRequest, path: string): ApiAnswer {
  const [, account, bucket, encoded = ""] = R2_PATH.exec(path) ?? [];
  if (account !== ACCOUNT) {
    return problem(403, 10000, "Authentication error");
  }
  if (bucket !== BUCKET) {
    return problem(404, 10006, "The specified bucket does not exist.");
  }
  const key = decodeURIComponent(encoded);
  if (key === "") {
    return list([...r2.keys()], url.searchParams);
  }
  const object = r2.get(key);
  if (method === "PUT") {
    const etag = `"${createHash("md5").update(body).digest("hex")}"`;
    r2.set(key, { bytes: body, etag });
    return result({ key, etag: etag.slice(1, -1), size: String(body.byteLength) });
  }
  if (object === undefined) {
    return problem(404, 10007, "The specified key does not exist.");
  }
  if (method === "DELETE") {
    r2.delete(key);
    return result({ key });
  }
  return {
    status: 200,
    headers: { etag: object.etag, "content-type": "application/octet-stream" },
    body: object.bytes,
  };
}

function list(all: readonly string[], query: URLSearchParams): ApiAnswer {
  const after = Buffer.from(query.get("cursor") ?? "", "base64url").toString("utf8");
  const limit = Math.min(Number(query.get("per_page") ?? 20), MAX_PAGE);
  const names = all.filter((name) => name.startsWith(query.get("prefix") ?? "") && name > after).sort();
  const page = names.slice(0, limit);
  const isTruncated = names.length > limit;
  const more = isTruncated ? { cursor: Buffer.from(page.at(-1) ?? "").toString("base64url") } : {};
  return result(
    page.map((key) => ({ key })),
    { is_truncated: isTruncated, per_page: limit, ...more },
  );
}
