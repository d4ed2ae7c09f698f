/** Owns a connection to the outside: HTTP/1.1 requests read from what is sent, answers written as they would have come; never a socket. */
import type { Machine } from "../box/machine.ts";
import { ByteQueue, concat } from "./byte-queue.ts";
import { ERRNO } from "./endpoints.ts";
import { readRequest, type WireRequest, writeResponse } from "./http-wire.ts";
import type { Line } from "./loopback.ts";

/** What site/ssl.py sends first in place of a handshake. */
const TLS_MARK = /^\x16BOXTLS ([^\n]*)\n/;
const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

export interface HttpSocketOptions {
  readonly machine: Machine;
  /** Null for this machine, which a request calls by one of its names. */
  readonly host: string | null;
  readonly port: number;
}

/** The far end of a socket that was connected to a host outside. */
export class HttpSocket implements Line {
  readonly incoming = new ByteQueue();
  broken: number | null = null;
  readonly #options: HttpSocketOptions;
  #sent: Uint8Array = new Uint8Array(0);
  #scheme: "http" | "https" = "http";
  #answering: Promise<void> = Promise.resolve();
  #continued = false;

  constructor(options: HttpSocketOptions) {
    this.#options = options;
  }

  send(bytes: Uint8Array): void {
    this.#sent = concat([this.#sent, bytes]);
    this.#readMark();
    for (;;) {
      const read = readRequest(this.#sent);
      if (read === "not http") {
        this.#break(ERRNO.ECONNRESET);
        return;
      }
      if (read === "expects continue" && !this.#continued) {
        this.#continued = true;
        this.incoming.push(CONTINUE);
        this.#options.machine.bell.ring();
        return;
      }
      if (typeof read === "string") {
        return;
      }
      this.#continued = false;
      this.#sent = this.#sent.slice(read.length);
      this.#answering = this.#answering.then(() => this.#answer(read));
    }
  }

  close(): void {
    this.incoming.ended = true;
  }

  #readMark(): void {
    const start = new TextDecoder("latin1").decode(this.#sent.subarray(0, 300));
    const mark = TLS_MARK.exec(start);
    if (mark !== null) {
      this.#scheme = "https";
      this.#sent = this.#sent.slice(mark[0].length);
    }
  }

  async #answer(request: WireRequest): Promise<void> {
    const { machine, port } = this.#options;
    const host = this.#options.host ?? loopbackName(request.host);
    const usual = this.#scheme === "https" ? 443 : 80;
    const origin = `${this.#scheme}://${host}${port === usual ? "" : `:${port}`}`;
    try {
      const body = request.body.length > 0 ? { body: request.body } : {};
      const url = request.target.startsWith("http") ? request.target : origin + request.target;
      const response = await machine.fetch(
        new Request(url, { method: request.method, headers: request.headers, redirect: "manual", ...body }),
      );
      if (response === null) {
        this.#break(ERRNO.ECONNREFUSED);
        return;
      }
      const bytes = new Uint8Array(await machine.untilStopped(response.arrayBuffer()));
      this.incoming.push(writeResponse(request, response, bytes));
      if (request.close) {
        this.incoming.ended = true;
      }
    } catch {
      this.#break(ERRNO.ECONNRESET);
    }
    machine.bell.ring();
  }

  #break(number: number): void {
    this.broken = number;
    this.#options.machine.bell.ring();
  }
}

/** The name of this machine that a `Host` header has; any other name is one that a server here goes by. */
function loopbackName(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name) ? name : "127.0.0.1";
}
