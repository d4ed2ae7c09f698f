/** Owns HTTP/1.1 as bytes: a request read, a response written; never sends anything. */
import { joinBytes } from "../../model/bytes.ts";

export interface WireRequest {
  readonly method: string;
  readonly target: string;
  /** As its `Host` header says; empty without one. */
  readonly host: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  /** Bytes of the whole request. */
  readonly length: number;
  /** True when the connection ends with the answer. */
  readonly close: boolean;
}

const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/1\.([01])$/;
/** Headers that belong to the connection, not to the request. */
const CONNECTION_HEADERS = [
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "content-length",
  "expect",
  "te",
  "upgrade",
  "accept-encoding",
];
const LONGEST_HEAD = 65_536;
const HEADER_LINE = /^([!#$%&'*+.^_`|~\w-]+):([^\r\n\0]*)$/;
const LENGTH = /^\d{1,15}$/;
const CHUNK_LINE = /^([\da-f]{1,8})(?:;[^\r]*)?\r?$/i;
const LONGEST_CHUNK_LINE = 1_024;

/** The first request in the bytes, or why there is none yet. */
export function readRequest(bytes: Uint8Array): WireRequest | "more" | "expects continue" | "not http" {
  return bytes.length === 0 ? "more" : readHead(bytes);
}

function readHead(bytes: Uint8Array): WireRequest | "more" | "expects continue" | "not http" {
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, LONGEST_HEAD));
  if (!/^[A-Z]{1,20}( |$)/.test(text)) {
    return "not http";
  }
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) {
    return bytes.length >= LONGEST_HEAD ? "not http" : "more";
  }
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const line = REQUEST_LINE.exec(first);
  if (line === null) {
    return "not http";
  }
  const headers = readHeaders(lines);
  const body = headers === null ? "not http" : readBody(bytes, end + 4, headers);
  if (headers === null || body === "not http") {
    return "not http";
  }
  if (body === "more") {
    return headers.get("expect")?.toLowerCase() === "100-continue" ? "expects continue" : "more";
  }
  const close = headers.get("connection")?.toLowerCase() === "close" || line[3] === "0";
  const host = headers.get("host") ?? "";
  for (const name of CONNECTION_HEADERS) {
    headers.delete(name);
  }
  const [, method = "GET", target = "/"] = line;
  return { method, target, host, headers, body: body.bytes, length: body.end, close };
}

/** Null when a line is no header. */
function readHeaders(lines: readonly string[]): Headers | null {
  const headers = new Headers();
  for (const line of lines) {
    const [, name, value] = HEADER_LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      return null;
    }
    headers.append(name, value.trim());
  }
  return headers;
}

type Body = { readonly bytes: Uint8Array; readonly end: number } | "more" | "not http";

/** Where a body ends has to be said once, and in plain numbers: whatever reads it differently reads other requests than this. */
function readBody(bytes: Uint8Array, start: number, headers: Headers): Body {
  const coding = headers.get("transfer-encoding")?.toLowerCase();
  const length = headers.get("content-length");
  if (coding !== undefined) {
    return coding === "chunked" && length === null ? readChunks(bytes, start) : "not http";
  }
  if (length !== null && !LENGTH.test(length)) {
    return "not http";
  }
  const end = start + Number(length ?? 0);
  return bytes.length >= end ? { bytes: bytes.slice(start, end), end } : "more";
}

function readChunks(bytes: Uint8Array, start: number): Body {
  const parts: Uint8Array[] = [];
  let at = start;
  for (;;) {
    const lineEnd = bytes.indexOf(0x0a, at);
    if (lineEnd < 0) {
      return bytes.length - at > LONGEST_CHUNK_LINE ? "not http" : "more";
    }
    const [, digits] = CHUNK_LINE.exec(new TextDecoder("latin1").decode(bytes.subarray(at, lineEnd))) ?? [];
    if (digits === undefined) {
      return "not http";
    }
    const size = Number.parseInt(digits, 16);
    const next = lineEnd + 1 + size + 2;
    if (bytes.length < next) {
      return "more";
    }
    if (size === 0) {
      return { bytes: joinBytes(parts), end: next };
    }
    parts.push(bytes.slice(lineEnd + 1, lineEnd + 1 + size));
    at = next;
  }
}

/** A response as it would have come over the wire, its body whole and plain. */
export function writeResponse(request: WireRequest, response: Response, body: Uint8Array): Uint8Array {
  const lines = [`HTTP/1.1 ${response.status} ${response.statusText || "OK"}`];
  for (const [name, value] of response.headers) {
    // The body was already decoded on its way, so neither its old encoding nor its old length holds.
    if (
      !["content-encoding", "transfer-encoding", "connection", "set-cookie"].includes(name) &&
      (name !== "content-length" || request.method === "HEAD")
    ) {
      lines.push(`${name}: ${value}`);
    }
  }
  for (const cookie of response.headers.getSetCookie()) {
    lines.push(`set-cookie: ${cookie}`);
  }
  const bodiless = request.method === "HEAD" || response.status === 204 || response.status === 304;
  if (!bodiless) {
    lines.push(`content-length: ${body.length}`);
  }
  lines.push(`connection: ${request.close ? "close" : "keep-alive"}`);
  const head = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  const all = new Uint8Array(head.length + (bodiless ? 0 : body.length));
  all.set(head);
  if (!bodiless) {
    all.set(body, head.length);
  }
  return all;
}
