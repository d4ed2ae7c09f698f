/** KV's REST API. */
import { ACCOUNT, type ApiAnswer, type ApiRequest, NAMESPACE, type Stores } from "./account.ts";
import { problem, result } from "./rest-answer.ts";

const MAX_PAIRS = 10_000;
const MAX_BODY = 100 * 1000 * 1000;
const MAX_VALUE = 25 * 1024 * 1024;
const MAX_KEY = 512;
const MAX_PAGE = 1_000;

/** Answers a request; with `isPartial` a bulk write does half of its work. */
export function answerKv(stores: Stores, request: ApiRequest, isPartial: boolean): ApiAnswer {
  const path = request.url.pathname.slice("/client/v4".length);
  const parts = /^\/accounts\/(\w+)\/storage\/kv\/namespaces\/(\w+)\/(bulk\/delete|bulk|keys|values\/(.+))$/.exec(path);
  const [, account, namespace, call = "", key = ""] = parts ?? [];
  if (account !== ACCOUNT) {
    return problem(403, 10000, "Authentication error");
  }
  if (namespace !== NAMESPACE) {
    return problem(404, 10013, `list keys: 'namespace not found'`);
  }
  switch (`${request.method} ${call.replace(/\/.+/, (rest) => (rest === "/delete" ? rest : ""))}`) {
    case "PUT bulk":
      return bulkWrite(stores, request, isPartial);
    case "POST bulk/delete":
      return bulkDelete(stores, request);
    case "GET keys":
      return listKeys(stores, request.url.searchParams);
    case "GET values":
      return readValue(stores, decodeURIComponent(key));
    default:
      return problem(405, 10405, "Method not allowed");
  }
}

function bulkWrite({ kv }: Stores, { body }: ApiRequest, isPartial: boolean): ApiAnswer {
  if (body.byteLength > MAX_BODY) {
    return problem(413, 10158, "put: 'the request body exceeds 100 MB'");
  }
  const pairs = JSON.parse(Buffer.from(body).toString("utf8")) as { key: string; value: string; base64?: boolean }[];
  if (pairs.length > MAX_PAIRS) {
    return problem(400, 10025, "put: 'too many keys'");
  }
  const values = pairs.map(({ key, value, base64 }) => ({
    key,
    bytes: new Uint8Array(Buffer.from(value, base64 === true ? "base64" : "utf8")),
  }));
  if (values.some(({ key }) => key === "" || key === "." || key === ".." || Buffer.byteLength(key) > MAX_KEY)) {
    return problem(414, 10030, "put: 'key name is not valid'");
  }
  if (values.some(({ bytes }) => bytes.byteLength > MAX_VALUE)) {
    return problem(413, 10033, "put: 'value exceeds 25 MiB'");
  }
  const failed = isPartial ? values.filter((_, i) => i % 2 === 1).map(({ key }) => key) : [];
  for (const { key, bytes } of values) {
    if (!failed.includes(key)) {
      kv.set(key, bytes);
    }
  }
  return result({ successful_key_count: values.length - failed.length, unsuccessful_keys: failed });
}

function bulkDelete({ kv }: Stores, { body }: ApiRequest): ApiAnswer {
  const keys = JSON.parse(Buffer.from(body).toString("utf8")) as string[];
  if (keys.length > MAX_PAIRS) {
    return problem(400, 10025, "delete: 'too many keys'");
  }
  for (const key of keys) {
    kv.delete(key);
  }
  return result({ successful_key_count: keys.length, unsuccessful_keys: [] });
}

/** In pages, the cursor being the last name of the page before. */
function listKeys({ kv, listed }: Stores, query: URLSearchParams): ApiAnswer {
  const limit = Number(query.get("limit") ?? MAX_PAGE);
  if (limit > MAX_PAGE || limit < 10) {
    return problem(400, 10029, "list keys: 'limit must be between 10 and 1000'");
  }
  const after = Buffer.from(query.get("cursor") ?? "", "base64url").toString("utf8");
  const prefix = query.get("prefix") ?? "";
  const names = [...(listed ?? kv.keys())].filter((name) => name.startsWith(prefix) && name > after).sort();
  const page = names.slice(0, limit);
  const cursor = names.length > limit ? Buffer.from(page.at(-1) ?? "").toString("base64url") : "";
  return result(
    page.map((name) => ({ name })),
    { count: page.length, cursor },
  );
}

function readValue({ kv }: Stores, key: string): ApiAnswer {
  const bytes = kv.get(key);
  return bytes === undefined
    ? problem(404, 10009, "get: 'key not found'")
    : { status: 200, headers: { "content-type": "application/octet-stream" }, body: bytes };
}
