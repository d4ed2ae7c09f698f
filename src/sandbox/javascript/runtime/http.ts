/** Owns `http` and `https` as clients over the run's network; never a server. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";

type Fetch = (input: string, init: RequestInit) => Promise<Response>;

interface RequestOptions {
  readonly protocol?: string;
  readonly host?: string;
  readonly hostname?: string;
  readonly port?: number | string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string | number | readonly string[]>;
  readonly auth?: string;
}

/** Makes `http` or `https`. */
export function makeHttp(fetch: Fetch, protocol: "http:" | "https:") {
  class ClientRequest extends Writable {
    readonly #url: string;
    readonly #headers = new Headers();
    readonly #parts: Uint8Array[] = [];
    readonly method: string;

    constructor(url: string, options: RequestOptions, onResponse?: (response: IncomingMessage) => void) {
      super({ decodeStrings: true });
      this.#url = url;
      this.method = options.method ?? "GET";
      for (const [name, value] of Object.entries(options.headers ?? {})) {
        this.setHeader(name, value);
      }
      if (onResponse !== undefined) {
        this.once("response", onResponse);
      }
    }

    setHeader(name: string, value: string | number | readonly string[]): void {
      this.#headers.set(name, Array.isArray(value) ? value.join(", ") : String(value));
    }
    getHeader(name: string): string | undefined {
      return this.#headers.get(name) ?? undefined;
    }
    removeHeader(name: string): void {
      this.#headers.delete(name);
    }
    setTimeout(): this {
      return this;
    }
    abort(): void {
      this.destroy();
    }

    override _write(chunk: Uint8Array, _encoding: string, callback: () => void): void {
      this.#parts.push(chunk);
      callback();
    }

    override _final(callback: () => void): void {
      callback();
      void this.#send();
    }

    async #send(): Promise<void> {
      try {
        const body = this.#parts.length > 0 ? Buffer.concat(this.#parts) : undefined;
        const response = await fetch(this.#url, {
          method: this.method,
          headers: this.#headers,
          redirect: "manual",
          ...(body === undefined ? {} : { body }),
        });
        const message = new IncomingMessage(response);
        const bytes = new Uint8Array(await response.arrayBuffer());
        this.emit("response", message);
        message.push(bytes.length > 0 ? Buffer.from(bytes) : null);
        message.push(null);
      } catch (error) {
        const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        this.emit("error", cause);
      }
    }
  }

  const request = (input: string | URL | RequestOptions, ...rest: unknown[]) => {
    const options = (
      typeof input === "string" || input instanceof URL ? rest.find((value) => typeof value === "object") : input
    ) as RequestOptions | undefined;
    const callback = rest.find((value): value is (response: IncomingMessage) => void => typeof value === "function");
    const url = typeof input === "string" || input instanceof URL ? new URL(input).href : urlOf(input, protocol);
    return new ClientRequest(url, options ?? {}, callback);
  };
  const get = (...args: Parameters<typeof request>) => {
    const made = request(...args);
    made.end();
    return made;
  };
  class Agent extends EventEmitter {
    destroy(): void {}
  }
  const createServer = () => {
    throw Object.assign(new Error(`${protocol.slice(0, -1)}.createServer is not available in the sandbox`), {
      code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
    });
  };
  return {
    request,
    get,
    Agent,
    globalAgent: new Agent(),
    ClientRequest,
    IncomingMessage,
    createServer,
    METHODS: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
    STATUS_CODES: {},
  };
}

class IncomingMessage extends Readable {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly headers: Record<string, string | string[]>;
  readonly httpVersion = "1.1";
  complete = true;

  constructor(response: Response) {
    super({ read: () => undefined });
    this.statusCode = response.status;
    this.statusMessage = response.statusText;
    const cookies = response.headers.getSetCookie();
    this.headers = {
      ...Object.fromEntries(response.headers),
      ...(cookies.length > 0 ? { "set-cookie": cookies } : {}),
    };
  }
  setTimeout(): this {
    return this;
  }
}

function urlOf(options: RequestOptions, protocol: string): string {
  const host = options.hostname ?? options.host ?? "localhost";
  const port = options.port === undefined ? "" : `:${options.port}`;
  const auth = options.auth === undefined ? "" : `${options.auth}@`;
  return `${options.protocol ?? protocol}//${auth}${host}${port}${options.path ?? "/"}`;
}
