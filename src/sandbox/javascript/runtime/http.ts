/** Owns `http` and `https` as clients over the run's network; never a server. */
import { EventEmitter } from "node:events";
import { Writable } from "node:stream";
import { abortError } from "./aborted.ts";
import { IncomingMessage } from "./http-incoming.ts";
import { METHODS, STATUS_CODES, validateHeaderName, validateHeaderValue } from "./http-names.ts";

type Fetch = (input: string, init: RequestInit) => Promise<Response>;
type Protocol = "http:" | "https:";
type Value = string | number | readonly string[];
type OnResponse = (response: IncomingMessage) => void;

interface RequestOptions {
  readonly protocol?: string | null;
  readonly host?: string | null;
  readonly hostname?: string | null;
  readonly port?: number | string | null;
  readonly path?: string | null;
  readonly method?: string;
  readonly headers?: Record<string, Value | undefined> | readonly string[] | Headers;
  readonly auth?: string | null;
  readonly agent?: unknown;
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

class Agent extends EventEmitter {
  readonly options: object;
  readonly keepAlive: boolean;
  readonly maxSockets: number;
  readonly maxFreeSockets = 256;
  readonly sockets = {};
  readonly freeSockets = {};
  readonly requests = {};

  constructor(options: { readonly keepAlive?: boolean; readonly maxSockets?: number } = {}) {
    super();
    this.options = options;
    this.keepAlive = options.keepAlive ?? false;
    this.maxSockets = options.maxSockets ?? Number.POSITIVE_INFINITY;
  }
  destroy(): void {}
}

/** What stands for a connection: there is none to see. */
class Socket extends EventEmitter {
  readonly encrypted: boolean;
  constructor(protocol: Protocol) {
    super();
    this.encrypted = protocol === "https:";
  }
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  destroy(): this {
    return this;
  }
}

/** Makes `http` or `https`. */
export function makeHttp(fetch: Fetch, protocol: Protocol) {
  class ClientRequest extends Writable {
    readonly method: string;
    readonly path: string;
    readonly host: string;
    readonly protocol: string;
    readonly agent: unknown;
    readonly socket = new Socket(protocol);
    readonly connection = this.socket;
    res: IncomingMessage | null = null;
    headersSent = false;
    finished = false;
    aborted = false;
    reusedSocket = false;
    readonly #url: URL;
    readonly #headers = new Map<string, { readonly name: string; readonly value: Value }>();
    readonly #parts: Uint8Array[] = [];
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(url: URL, options: RequestOptions, onResponse?: OnResponse) {
      super({ decodeStrings: true, autoDestroy: false });
      this.#url = url;
      this.method = (options.method ?? "GET").toUpperCase();
      this.path = url.pathname + url.search;
      this.host = url.hostname;
      this.protocol = url.protocol;
      this.agent = options.agent ?? globalAgent;
      for (const [name, value] of pairsOf(options.headers)) {
        this.setHeader(name, value);
      }
      if (!this.hasHeader("host")) {
        this.setHeader("Host", url.host);
      }
      if (options.auth && !this.hasHeader("authorization")) {
        this.setHeader("Authorization", `Basic ${Buffer.from(options.auth).toString("base64")}`);
      }
      if (onResponse !== undefined) {
        this.once("response", onResponse);
      }
      if (options.timeout !== undefined) {
        this.setTimeout(options.timeout);
      }
      const abort = () => this.destroy(abortError(options.signal));
      if (options.signal?.aborted === true) {
        queueMicrotask(abort);
      }
      options.signal?.addEventListener("abort", abort, { once: true });
      queueMicrotask(() => this.destroyed || this.emit("socket", this.socket));
    }

    setHeader(name: string, value: Value): this {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      this.#headers.set(name.toLowerCase(), { name, value });
      return this;
    }
    appendHeader(name: string, value: Value): this {
      const before = this.getHeader(name);
      const list = (one: Value) => (Array.isArray(one) ? one : [String(one)]);
      return this.setHeader(name, before === undefined ? value : [...list(before), ...list(value)]);
    }
    getHeader(name: string): Value | undefined {
      return this.#headers.get(name.toLowerCase())?.value;
    }
    getHeaders(): Record<string, Value> {
      return Object.fromEntries([...this.#headers].map(([name, { value }]) => [name, value]));
    }
    getHeaderNames(): string[] {
      return [...this.#headers.keys()];
    }
    hasHeader(name: string): boolean {
      return this.#headers.has(name.toLowerCase());
    }
    removeHeader(name: string): void {
      this.#headers.delete(name.toLowerCase());
    }
    flushHeaders(): void {}
    setNoDelay(): void {}
    setSocketKeepAlive(): void {}
    /** Tells when there was no answer for so long; whoever is told decides what then. */
    setTimeout(ms: number, onTimeout?: () => void): this {
      clearTimeout(this.#timer);
      if (onTimeout !== undefined) {
        this.once("timeout", onTimeout);
      }
      if (ms > 0) {
        this.#timer = setTimeout(() => this.res === null && !this.destroyed && this.emit("timeout"), ms);
      }
      return this;
    }
    abort(): void {
      this.aborted = true;
      this.destroy();
    }

    override _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
      this.#parts.push(chunk);
      callback();
    }

    override _final(callback: () => void): void {
      this.finished = true;
      callback();
      void this.#send();
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      clearTimeout(this.#timer);
      callback(error ?? (this.res === null ? hungUp() : null));
    }

    async #send(): Promise<void> {
      this.headersSent = true;
      let message: IncomingMessage;
      try {
        const { method } = this;
        const headers = [...this.#headers.values()]
          .filter(({ name }) => !/^(?:host|content-length|connection|transfer-encoding)$/i.test(name))
          .map(({ name, value }): [string, string] => [name, Array.isArray(value) ? value.join(", ") : String(value)]);
        const body = this.#parts.length > 0 ? new Uint8Array(Buffer.concat(this.#parts)) : undefined;
        const takesBody = body !== undefined && method !== "GET" && method !== "HEAD";
        const init = { method, headers, redirect: "manual", ...(takesBody ? { body } : {}) } as const;
        const response = await fetch(this.#url.href, init);
        message = new IncomingMessage(response, new Uint8Array(await response.arrayBuffer()), this.socket);
      } catch (error) {
        this.destroy(error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error));
        return;
      }
      if (this.destroyed) {
        return;
      }
      this.res = message;
      message.once("close", () => this.destroy());
      // Of what a listener throws nobody here hears.
      setTimeout(() => this.emit("response", message) || message.resume(), 0);
    }
  }

  const globalAgent = new Agent({ keepAlive: true });
  const request = (input: string | URL | RequestOptions, ...rest: unknown[]) => {
    const given = typeof input === "string" || input instanceof URL ? optionsOf(new URL(input)) : {};
    const more = (typeof input === "string" || input instanceof URL ? rest[0] : input) as RequestOptions | undefined;
    const options = { ...given, ...(typeof more === "object" && more !== null ? more : {}) };
    const callback = rest.find((value): value is OnResponse => typeof value === "function");
    return new ClientRequest(urlOf(options, protocol), options, callback);
  };
  const get = (...args: Parameters<typeof request>) => {
    const made = request(...args);
    made.end();
    return made;
  };
  return {
    request,
    get,
    Agent,
    globalAgent,
    ClientRequest,
    IncomingMessage,
    METHODS,
    STATUS_CODES,
    maxHeaderSize: 16384,
    validateHeaderName,
    validateHeaderValue,
    setMaxIdleHTTPParsers: () => undefined,
  };
}

function pairsOf(headers: RequestOptions["headers"]): (readonly [string, Value])[] {
  if (headers instanceof Headers) {
    return [...headers];
  }
  if (Array.isArray(headers)) {
    return headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]] as const] : []));
  }
  const pairs = Object.entries((headers ?? {}) as Record<string, Value | undefined>);
  return pairs.filter((pair): pair is [string, Value] => pair[1] !== undefined);
}

function optionsOf(url: URL): RequestOptions {
  const { username, password } = url;
  const auth = username === "" ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
  const path = url.pathname + url.search;
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port === "" ? {} : { port: url.port }),
    path,
    ...auth,
  };
}

function urlOf(options: RequestOptions, protocol: Protocol): URL {
  const path = options.path ?? "/";
  if (/[^\x21-\xff]/.test(path)) {
    const error = new TypeError("Request path contains unescaped characters");
    throw Object.assign(error, { code: "ERR_UNESCAPED_CHARACTERS" });
  }
  const wanted = options.protocol ?? protocol;
  if (wanted !== protocol) {
    const error = new TypeError(`Protocol "${wanted}" not supported. Expected "${protocol}"`);
    throw Object.assign(error, { code: "ERR_INVALID_PROTOCOL" });
  }
  const host = options.hostname ?? options.host ?? "localhost";
  const shown = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return new URL(`${wanted}//${shown}${options.port ? `:${options.port}` : ""}${path}`);
}

function hungUp(): Error {
  return Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
}
