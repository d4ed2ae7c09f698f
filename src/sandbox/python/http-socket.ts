/** Owns a connection to the outside: HTTP/1.1 requests read from what is sent, answers written as they would have come; never a socket. */
import type { Machine } from "../box/machine.ts";
import type { Room } from "../room.ts";
import { ByteQueue } from "./byte-queue.ts";
import { ERRNO, Errno } from "./endpoints.ts";
import { readRequest, type WireRequest, writeResponse } from "./http-wire.ts";
import type { Line } from "./loopback.ts";

/** What site/ssl.py sends first in place of a handshake. */
const TLS_MARK = /^\x16BOXTLS ([^\n]*)\n/;
const CONTINUE = new TextEncoder().encode("HTTP/1.1 100 Continue\r\n\r\n");

export interface HttpSocketOptions {
  readonly machine: Machine;
  /** For what was sent, and answers that nobody has read. */
  readonly room: Room;
  /** Null for this machine, which a request calls by one of its names. */
  readonly host: string | null;
  readonly port: number;
}

/** The far end of a socket that was connected to a host outside. */
export class HttpSocket implements Line {
  readonly incoming: ByteQueue;
  broken: number | null = null;
  readonly #options: HttpSocketOptions;
  readonly #sent: SentBytes;
  #scheme: "http" | "https" = "http";
  #isAnswering = false;
  #continued = false;

  constructor(options: HttpSocketOptions) {
    this.#options = options;
    this.incoming = new ByteQueue(options.room);
    this.#sent = new SentBytes(options.room);
  }

  send(bytes: Uint8Array): void {
    if (!this.#sent.add(bytes)) {
      throw new Errno(ERRNO.ENOMEM);
    }
    this.#read();
  }

  /** Reads the next request. One at a time: what comes behind it waits as bytes, as it would on the way. */
  #read(): void {
    if (this.#isAnswering || this.broken !== null) {
      return;
    }
    this.#readMark();
    const read = readRequest(this.#sent.bytes());
    if (read === "not http") {
      this.#break(ERRNO.ECONNRESET);
    } else if (read === "expects continue" && !this.#continued) {
      this.#continued = true;
      this.#receive(CONTINUE);
    } else if (typeof read !== "string") {
      this.#continued = false;
      this.#sent.remove(read.length);
      this.#isAnswering = true;
      void this.#answer(read).then(() => {
        this.#isAnswering = false;
        this.#read();
      });
    }
  }

  close(): void {
    this.incoming.ended = true;
  }

  leave(): void {
    this.incoming.drop();
    this.#sent.remove(this.#sent.bytes().length);
  }

  #readMark(): void {
    const start = new TextDecoder("latin1").decode(this.#sent.bytes().subarray(0, 300));
    const mark = TLS_MARK.exec(start);
    if (mark !== null) {
      this.#scheme = "https";
      this.#sent.remove(mark[0].length);
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
      this.#receive(writeResponse(request, response, bytes));
      if (request.close) {
        this.incoming.ended = true;
      }
    } catch {
      this.#break(ERRNO.ECONNRESET);
    }
    machine.bell.ring();
  }

  #receive(bytes: Uint8Array): void {
    if (!this.incoming.push(bytes)) {
      this.broken = ERRNO.ECONNRESET;
    }
    this.#options.machine.bell.ring();
  }

  #break(number: number): void {
    this.broken = number;
    this.#sent.remove(this.#sent.bytes().length);
    this.#options.machine.bell.ring();
  }
}

/** What was sent and not read as a request yet. */
class SentBytes {
  readonly #room: Room;
  #buffer = new Uint8Array(0);
  #start = 0;
  #end = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  /** False when there is no room. */
  add(bytes: Uint8Array): boolean {
    if (!this.#room.take(bytes.length)) {
      return false;
    }
    const length = this.#end - this.#start + bytes.length;
    if (this.#end + bytes.length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(length, 2 * (this.#end - this.#start)));
      grown.set(this.bytes());
      this.#buffer = grown;
      this.#start = 0;
    }
    this.#buffer.set(bytes, this.#start + length - bytes.length);
    this.#end = this.#start + length;
    return true;
  }

  /** Takes bytes away from the beginning. */
  remove(count: number): void {
    this.#start += count;
    this.#room.give(count);
    if (this.#start === this.#end) {
      this.#buffer = new Uint8Array(0);
      this.#start = 0;
      this.#end = 0;
    }
  }
}

/** The name of this machine that a `Host` header has; any other name is one that a server here goes by. */
function loopbackName(host: string): string {
  const name = host.replace(/:\d*$/, "").toLowerCase();
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name) ? name : "127.0.0.1";
}
