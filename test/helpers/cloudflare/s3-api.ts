/** R2's S3 API: objects with conditional writes, and listings. Signatures are checked. */
import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { API_TOKEN, type ApiAnswer, type ApiRequest, BUCKET, type Stores, TOKEN_ID } from "./account.ts";

const PAGE = 1_000;
const SECRET = createHash("sha256").update(API_TOKEN).digest("hex");

/** Answers a request for `/r2/<bucket>/<key>`. */
export async function answerS3(stores: Stores, request: ApiRequest): Promise<ApiAnswer> {
  const { method, url, body } = request;
  if (!(await isSigned(request))) {
    return problem(
      403,
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided.",
    );
  }
  const [, bucket, key = ""] = /^\/r2\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (bucket !== BUCKET) {
    return problem(404, "NoSuchBucket", "The specified bucket does not exist.");
  }
  const object = stores.r2.get(key);
  switch (key === "" ? `${method} bucket` : method) {
    case "GET bucket":
      return list(stores, url.searchParams);
    case "GET":
    case "HEAD":
      return object === undefined
        ? problem(404, "NoSuchKey", "The specified key does not exist.")
        : { status: 200, headers: { etag: object.etag }, body: method === "HEAD" ? "" : object.bytes };
    case "PUT":
      return put(stores, key, body, request.headers);
    case "DELETE":
      stores.r2.delete(key);
      return { status: 204 };
    default:
      return problem(501, "NotImplemented", "Not implemented.");
  }
}

function put({ r2 }: Stores, key: string, bytes: Uint8Array, headers: ApiRequest["headers"]): ApiAnswer {
  const before = r2.get(key);
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if ((match !== undefined && before?.etag !== match) || (noneMatch === "*" && before !== undefined)) {
    return problem(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold.");
  }
  const etag = `"${createHash("md5").update(bytes).digest("hex")}"`;
  r2.set(key, { bytes, etag });
  return { status: 200, headers: { etag } };
}

function list({ r2 }: Stores, query: URLSearchParams): ApiAnswer {
  const prefix = query.get("prefix") ?? "";
  const after = Buffer.from(query.get("continuation-token") ?? "", "base64url").toString("utf8");
  const names = [...r2.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
  const page = names.slice(0, PAGE);
  const isTruncated = names.length > PAGE;
  const token = Buffer.from(page.at(-1) ?? "").toString("base64url");
  return {
    status: 200,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><MaxKeys>${PAGE}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${
      isTruncated ? `<NextContinuationToken>${token}</NextContinuationToken>` : ""
    }${page.map((name) => `<Contents><Key>${name}</Key></Contents>`).join("")}</ListBucketResult>`,
  };
}

/** Signs the request again with what the account knows, and compares. */
async function isSigned({ method, url, headers, body }: ApiRequest): Promise<boolean> {
  const { authorization = "", "x-amz-date": datetime = "", "x-amz-content-sha256": hash = "" } = headers;
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
  const own = Object.fromEntries(
    signed.filter((name) => name !== "host" && name !== "x-amz-date").map((name) => [name, headers[name] ?? ""]),
  );
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: own,
    accessKeyId: TOKEN_ID,
    secretAccessKey: SECRET,
    service: "s3",
    region: "auto",
    datetime,
  });
  const expected = (await signer.sign()).headers.get("authorization");
  return expected === authorization && hash === createHash("sha256").update(body).digest("hex");
}

function problem(status: number, code: string, message: string): ApiAnswer {
  return {
    status,
    headers: { "content-type": "application/xml" },
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}
