/**
 * Owns asking an edge over HTTP with a token: JSON there and back, answers bounded in bytes and time, problems thrown as the errors they name.
 * Never follows a redirect, and never sends a token in the clear to another machine.
 */
import { ERROR_FACTS, type ErrorCode, SkillsError } from "../../model/errors.ts";
import { addressOf } from "../../model/token.ts";
import { whyUnconnected } from "../unconnected.ts";

/** Where an edge is, and as whom to ask. */
export interface EdgeAddress {
  /** For people. */
  readonly name: string;
  /** May end in `/c/<channel>/`. */
  readonly url: URL;
  readonly token: string;
}

/** The methods that the edge's routes take. */
export type EdgeMethod = "GET" | "POST" | "PUT" | "DELETE";

/** An edge to ask. */
export interface EdgeApi extends Pick<EdgeAddress, "name" | "url"> {
  /** The tenant that the token is addressed to, `platform` among them; null for a JWT, which only the edge can read. */
  readonly tenant: string | null;
  /**
   * Asks a route (`/v1/tokens?tenant=acme`; whoever calls encodes its parts) and answers the JSON of a good answer, `{}` for one without a body.
   * `body` is sent as JSON. Throws the error that a problem names, in the edge's words; `edge-unavailable` when there is no answer, or one
   * that no edge gives.
   */
  ask(method: EdgeMethod, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** The same with bytes as the body. */
  send(method: "POST" | "PUT", path: string, bytes: Uint8Array): Promise<Record<string, unknown>>;
  /** The bytes of a good answer. */
  read(path: string): Promise<Uint8Array>;
}

/** Bytes of an answer; the files of a run are the largest. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Milliseconds until an answer is there, all of it: a run may take its time. */
const ANSWER_MS = 300_000;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Reads the address of an edge. Throws `usage` for what is none, or would send a token in the clear. */
export function edgeUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    throw new SkillsError("usage", `Cannot use "${text}": the address of an edge is https://<host>, without a user`);
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw new SkillsError("usage", `Cannot use "${text}": a token is sent over https only, except to this machine`);
  }
  return url;
}

/** Makes the client of an edge; asks nothing yet. What `signal` aborts is given up. */
export function createEdgeApi({ name, url, token }: EdgeAddress, signal?: AbortSignal): EdgeApi {
  const base = url.href.replace(/[?#].*$/, "").replace(/\/+$/, "");
  const answer = (
    method: EdgeMethod,
    path: string,
    sent: { readonly type: string; readonly body: string | Uint8Array<ArrayBuffer> } | null,
  ): Promise<Answer> => {
    const init = {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(sent === null ? {} : { "Content-Type": sent.type }) },
      ...(sent === null ? {} : { body: sent.body }),
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])]),
    } as const;
    return unlessUnreachable(name, async () => {
      const response = await fetch(base + path, init);
      return { response, bytes: await boundedBytes(name, response) };
    });
  };
  return {
    name,
    url,
    tenant: addressOf(token),
    async ask(method, path, body) {
      const sent = body === undefined ? null : { type: "application/json", body: JSON.stringify(body) };
      const { response, bytes } = await answer(method, path, sent);
      return documentOf(name, response, bytes);
    },
    async send(method, path, bytes) {
      const sent = { type: "application/octet-stream", body: bytes as Uint8Array<ArrayBuffer> };
      const { response, bytes: told } = await answer(method, path, sent);
      return documentOf(name, response, told);
    },
    async read(path) {
      const { response, bytes } = await answer("GET", path, null);
      if (!response.ok) {
        documentOf(name, response, bytes);
      }
      return bytes;
    },
  };
}

interface Answer {
  readonly response: Response;
  readonly bytes: Uint8Array;
}

/** What some asking gives; what fails on the way is the network's fault. */
async function unlessUnreachable<T>(name: string, asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (cause) {
    if (SkillsError.is(cause)) {
      throw cause;
    }
    const unconnected = whyUnconnected(cause);
    throw new SkillsError("edge-unavailable", `Cannot reach ${name}: ${unconnected ?? reasonOf(cause)}`, {
      cause,
      ...(unconnected === null ? {} : { hint: "is this the edge's address, and does it run?" }),
    });
  }
}

function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) {
    return String(thrown);
  }
  if (thrown.name === "TimeoutError") {
    return "it did not answer in time";
  }
  return thrown.cause instanceof Error ? thrown.cause.message || String(thrown.cause) : thrown.message;
}

async function boundedBytes(name: string, response: Response): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) {
      throw new SkillsError(
        "edge-unavailable",
        `Cannot read the answer of ${name}: it is over ${MAX_ANSWER_BYTES} bytes`,
      );
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

function documentOf(name: string, response: Response, bytes: Uint8Array): Record<string, unknown> {
  const { status, headers } = response;
  const location = headers.get("Location");
  if (status >= 300 && status < 400) {
    throw new SkillsError("edge-unavailable", `Cannot ask ${name}: it sends to ${location ?? "another address"}`, {
      hint: "name the edge's own address: a token is not sent on",
    });
  }
  if (response.ok && bytes.byteLength === 0) {
    return {};
  }
  const document = parsed(new TextDecoder().decode(bytes));
  if (document === null || (!response.ok && typeof document.code !== "string")) {
    const type = headers.get("Content-Type") ?? "nothing";
    throw new SkillsError("edge-unavailable", `Cannot use the answer of ${name}: ${status} with ${type} is no edge's`);
  }
  if (!response.ok) {
    throw problemOf(name, response, document);
  }
  return document;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The error that a problem document names; a code of a later version keeps its words. */
function problemOf(name: string, { status, headers }: Response, problem: Record<string, unknown>): SkillsError {
  const code = String(problem.code);
  const detail = String(problem.detail ?? problem.title ?? `it answered ${status}`);
  const retryAfter = Number(headers.get("Retry-After") ?? Number.NaN);
  const fallback: ErrorCode = status < 500 ? "request-invalid" : "edge-unavailable";
  const isKnown = Object.hasOwn(ERROR_FACTS, code);
  return new SkillsError(isKnown ? (code as ErrorCode) : fallback, isKnown ? detail : `${detail} (${code})`, {
    ...(Array.isArray(problem.candidates) ? { candidates: problem.candidates.map(String) } : {}),
    ...(Number.isFinite(retryAfter) ? { retryAfterMs: retryAfter * 1_000 } : {}),
    ...hintOf(name, status, problem),
  });
}

function hintOf(name: string, status: number, problem: Record<string, unknown>): { hint?: string } {
  if (status === 401) {
    return { hint: `EDGE_SKILLS_TOKEN has to be a token of ${name}` };
  }
  if (problem.code === "scope-missing") {
    return { hint: "EDGE_SKILLS_TOKEN has to be one with that scope: edge-skills token create --scopes … makes it" };
  }
  return status >= 500 && problem.request_id !== undefined
    ? { hint: `the log of ${name} has more under ${String(problem.request_id)}` }
    : {};
}
