/**
 * Stands in for the part of Cloudflare that a deploy talks to: its REST API for KV and R2, and R2's S3 API, written from their documentation (facts/cloudflare.md
 * §1, developers.cloudflare.com/api, /kv, /r2/api/s3), with their limits and error shapes. Listens on 127.0.0.1 only.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { BlobStore } from "../../../src/sources/blob-store.ts";
import { ACCOUNT, type ApiAnswer, type ApiRequest, type Stores } from "./account.ts";
import { RateLimit } from "./rate-limit.ts";
import { answerRest } from "./rest-api.ts";
import { answerS3 } from "./s3-api.ts";

/** What goes wrong with a request: `before` it is carried out, or `after`. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly retryAfter?: number }
  /** The connection ends without an answer. */
  | { readonly kind: "drop"; readonly when: "before" | "after" }
  /** The answer begins and does not end. */
  | { readonly kind: "cut" }
  /** No answer until the caller gives up; carried out all the same. */
  | { readonly kind: "slow" }
  /** A bulk write carries out every second pair, and says so. */
  | { readonly kind: "partial" };

/** A request that came, for counting. */
export interface SeenRequest {
  readonly method: string;
  /** Path without account, namespace and bucket. */
  readonly path: string;
  readonly bytes: number;
}

/** The server. */
export class CloudflareStandIn implements Stores {
  readonly accounts = [{ id: ACCOUNT, name: "Stand-in" }];
  readonly kv = new Map<string, Uint8Array>();
  readonly r2 = new Map<string, { readonly bytes: Uint8Array; readonly etag: string }>();
  readonly workers = new Map([["edge-skills", new Map<string, string>()]]);
  /** Its plain variables, as its wrangler.toml has them. */
  readonly variables = new Map<string, string>();
  listed: ReadonlySet<string> | null = null;
  readonly seen: SeenRequest[] = [];
  /** Asked of every request, by its number from 0; null: nothing goes wrong. */
  fault: (at: number, request: ApiRequest) => Fault | null = () => null;
  /** Told before a request is carried out, and after; may never come back when a test ends a process there. */
  onRequest: (at: number, when: "before" | "after") => void = () => undefined;
  /** The stand-in's own clock, milliseconds. */
  time = 0;
  readonly rate = new RateLimit(() => this.time);
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<CloudflareStandIn> {
    const standIn = new CloudflareStandIn();
    await new Promise<void>((resolve) => standIn.#server.listen(0, "127.0.0.1", resolve));
    return standIn;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get apiBaseUrl(): string {
    return `${this.origin}/client/v4`;
  }

  get r2Endpoint(): string {
    return `${this.origin}/r2`;
  }

  /** Another account with the same content and no faults. */
  copyFrom(other: Stores): void {
    this.kv.clear();
    this.r2.clear();
    for (const [key, bytes] of other.kv) {
      this.kv.set(key, bytes);
    }
    for (const [key, object] of other.r2) {
      this.r2.set(key, object);
    }
    this.seen.length = 0;
    this.rate.clear();
  }

  /** What the edge Worker sees of it. */
  readers(): BlobStore {
    return {
      getImmutable: async (key) => this.kv.get(key) ?? this.r2.get(key)?.bytes ?? null,
      getCurrent: async (key) => this.r2.get(key)?.bytes ?? null,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: ApiRequest = {
      method: incoming.method ?? "GET",
      url: new URL(incoming.url ?? "/", this.origin),
      headers: incoming.headers as Record<string, string | undefined>,
      body: new Uint8Array(await buffer(incoming)),
    };
    const at = this.seen.length;
    const path = request.url.pathname.replace(
      /^\/(?:client\/v4\/accounts\/\w+\/storage\/kv\/namespaces\/\w+|r2\/[\w-]+)\/?/,
      "",
    );
    this.seen.push({ method: request.method, path, bytes: request.body.byteLength });
    const fault = this.fault(at, request);
    this.onRequest(at, "before");
    if (fault?.kind === "status") {
      send(response, failure(request, fault.status, fault.retryAfter));
      return;
    }
    if (fault?.kind === "drop" && fault.when === "before") {
      response.destroy();
      return;
    }
    const answer = await this.#carryOut(request, fault);
    this.onRequest(at, "after");
    if (fault?.kind === "drop") {
      response.destroy();
    } else if (fault?.kind === "cut") {
      response.writeHead(answer.status, { ...answer.headers, "content-length": "1000000" });
      response.write("{");
      response.destroy();
    } else if (fault?.kind !== "slow") {
      send(response, answer);
    }
  }

  async #carryOut(request: ApiRequest, fault: Fault | null): Promise<ApiAnswer> {
    if (request.url.pathname.startsWith("/r2/")) {
      return answerS3(this, request);
    }
    const wait = this.rate.take();
    return wait === null ? answerRest(this, request, fault?.kind === "partial") : failure(request, 429, wait);
  }
}

/** An error in the shape of the API that was called. */
function failure(request: ApiRequest, status: number, retryAfter?: number): ApiAnswer {
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  const isS3 = request.url.pathname.startsWith("/r2/");
  const code = status === 429 ? 971 : 10000 + status;
  const message = status === 429 ? "Please wait and consider throttling your request speed" : "Internal error";
  return {
    status,
    headers: { ...headers, "content-type": isS3 ? "application/xml" : "application/json" },
    body: isS3
      ? `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${status === 429 ? "TooManyRequests" : "InternalError"}</Code><Message>${message}</Message></Error>`
      : JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }),
  };
}

function send(response: ServerResponse, { status, headers = {}, body = "" }: ApiAnswer): void {
  response.writeHead(status, { ...headers, "content-length": String(Buffer.byteLength(body)) });
  response.end(body);
}
