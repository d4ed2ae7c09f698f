/** Owns `fetch` for a script: each request, each hop of a redirect, goes through the run's own network; never a socket. */
import type { Loop } from "./loop.ts";

/** The network of a run. */
export type NetworkFetch = (request: Request) => Promise<Response>;

const MOST_HOPS = 20;
/** The platform's classes as the isolate began with them: this is loaded when a script may have replaced them. */
export interface Natives {
  readonly Request: typeof Request;
  readonly Response: typeof Response;
}

let NativeRequest = Request;
let NativeResponse = Response;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What a request of `fetch` has where the script says nothing else. */
export const FETCH_HEADERS = { accept: "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node" };

/**
 * Makes the global `fetch`.
 * @param defaults headers for requests that have none of the name
 */
export function makeFetch(
  natives: Natives,
  network: NetworkFetch,
  loop: Loop,
  defaults: Readonly<Record<string, string>>,
) {
  NativeRequest = natives.Request;
  NativeResponse = natives.Response;
  return (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const signal = init?.signal ?? (input instanceof NativeRequest ? input.signal : null);
    const fetched = loop.track(fetchAll(network, loop, input, init, defaults));
    return signal === null || signal === undefined ? fetched : untilAborted(fetched, signal);
  };
}

/** The platform's network hears of no signal: whoever waits is told at once, what is under way goes on. */
function untilAborted(fetched: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(isPlainAbort(signal.reason) ? aborted() : signal.reason);
    if (signal.aborted) {
      abort();
    }
    signal.addEventListener("abort", abort, { once: true });
    fetched.then(resolve, reject);
  });
}

function isPlainAbort(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "AbortError";
}

function aborted(): DOMException {
  return new DOMException("This operation was aborted", "AbortError");
}

async function fetchAll(
  network: NetworkFetch,
  loop: Loop,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  defaults: Readonly<Record<string, string>>,
): Promise<Response> {
  loop.throwIfOver();
  const { signal: _, ...plain } = init ?? {};
  const first = requestFor(input instanceof URL ? input.href : input, { ...plain, redirect: "manual" });
  const { protocol } = new URL(first.url);
  if (protocol === "data:") {
    return dataResponse(first.url);
  }
  if (protocol !== "http:" && protocol !== "https:") {
    throw failed(protocol === "file:" ? "not implemented... yet..." : "unknown scheme");
  }
  for (const [name, value] of Object.entries(defaults)) {
    if (!first.headers.has(name)) {
      first.headers.set(name, value);
    }
  }
  const mode = init?.redirect ?? "follow";
  const body = first.body === null ? null : new Uint8Array(await first.arrayBuffer());
  let request = new NativeRequest(first.url, {
    method: first.method,
    headers: first.headers,
    redirect: "manual",
    ...(body === null ? {} : { body }),
  });
  let payload = body;
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    const response = await reach(network, request);
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null || mode === "manual") {
      return keepAlive(response, loop, { url: request.url, redirected: hop > 0 });
    }
    if (mode === "error") {
      throw failed("unexpected redirect");
    }
    const url = new URL(location, request.url);
    const headers = new Headers(request.headers);
    if (url.origin !== new URL(request.url).origin) {
      headers.delete("authorization");
      headers.delete("cookie");
    }
    const becomesGet = response.status === 303 || (response.status < 303 && request.method === "POST");
    payload = becomesGet ? null : payload;
    if (becomesGet) {
      headers.delete("content-type");
      headers.delete("content-length");
    }
    const method = becomesGet && request.method !== "HEAD" ? "GET" : request.method;
    request = new NativeRequest(url.href, {
      method,
      headers,
      redirect: "manual",
      ...(payload === null ? {} : { body: payload }),
    });
  }
  throw failed("redirect count exceeded");
}

function requestFor(input: RequestInfo, init: RequestInit): Request {
  if (typeof input === "string" && !URL.canParse(input)) {
    const cause = Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input });
    throw new TypeError(`Failed to parse URL from ${input}`, { cause });
  }
  const { username, password } = new URL(typeof input === "string" ? input : input.url);
  if (username !== "" || password !== "") {
    throw new TypeError(`Request cannot be constructed from a URL that includes credentials: ${String(input)}`);
  }
  return new NativeRequest(input, init);
}

/** `data:[TYPE][;base64],TEXT` */
function dataResponse(url: string): Response {
  const comma = url.indexOf(",");
  const [, type, base64] = /^data:(.*?)(;\s*base64)?$/s.exec(url.slice(0, comma)) ?? [];
  const text = decodeURIComponent(url.slice(comma + 1));
  const body = base64 === undefined ? text : Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new NativeResponse(body, { headers: { "content-type": type || "text/plain;charset=US-ASCII" } });
}

async function reach(network: NetworkFetch, request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await network(request);
  } catch (error) {
    throw failed(error instanceof Error ? error.message : String(error));
  }
  if (response.status === 403 && response.headers.get("x-egress") === "refused") {
    const { hostname: address, port, protocol } = new URL(request.url);
    const number = Number(port || (protocol === "https:" ? 443 : 80));
    const error = failed(`connect ECONNREFUSED ${address}:${number}`, "ECONNREFUSED");
    Object.assign(error.cause as Error, { errno: -111, address, port: number });
    throw error;
  }
  return response;
}

function failed(why: string, code?: string): TypeError {
  const cause = code === undefined ? new Error(why) : Object.assign(new Error(why), { code, syscall: "connect" });
  return new TypeError("fetch failed", { cause });
}

const used = () => new TypeError("Body is unusable: Body has already been read");

const BODY_READERS = ["arrayBuffer", "text", "json", "blob", "formData", "bytes"] as const;

/** Reading the body keeps the script alive as well. */
function keepAlive(
  response: Response,
  loop: Loop,
  facts: { readonly url: string; readonly redirected: boolean },
): Response {
  const usable =
    response instanceof NativeResponse
      ? response
      : new NativeResponse((response as Response).body, response as Response);
  for (const [name, value] of Object.entries(facts)) {
    Object.defineProperty(usable, name, { value, configurable: true });
  }
  for (const name of BODY_READERS) {
    const read = (usable as unknown as Record<string, (() => Promise<unknown>) | undefined>)[name]?.bind(usable);
    if (read !== undefined) {
      Object.defineProperty(usable, name, {
        value: () => loop.track(usable.bodyUsed ? Promise.reject(used()) : read()),
        configurable: true,
      });
    }
  }
  return usable;
}
