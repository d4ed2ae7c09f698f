/** Owns sockets inside one run: listening, connecting and talking on 127.0.0.1; never the outside. */

import type { Bell } from "../box/bell.ts";
import type { Room } from "../room.ts";
import { ByteQueue } from "./byte-queue.ts";
import { type Endpoint, ERRNO, Errno, POLL } from "./endpoints.ts";

/** Who listens on which port, in one run. */
export type Loopback = Map<number, Socket>;

/** What a connected socket talks to. */
export interface Line {
  /** What can be read. */
  readonly incoming: ByteQueue;
  /** The number of the error that broke the line, or null. */
  readonly broken: number | null;
  send(bytes: Uint8Array): void;
  /** Nothing more will be sent. */
  close(): void;
  /** Nobody reads what comes any more. */
  leave(): void;
}

const FIRST_PORT = 40_000;
const LAST_PORT = 60_000;
const MOST_PENDING = 128;

let nextPort = FIRST_PORT;

/** A stream socket. */
export class Socket implements Endpoint {
  readonly #loopback: Loopback;
  readonly #bell: Bell;
  readonly #room: Room;
  #descriptors = 0;
  #line: Line | null = null;
  #pending: Socket[] | null = null;
  port = 0;
  peerPort = 0;
  peerHost = "127.0.0.1";

  constructor(loopback: Loopback, bell: Bell, room: Room) {
    this.#loopback = loopback;
    this.#bell = bell;
    this.#room = room;
  }

  get connected(): boolean {
    return this.#line !== null;
  }

  bind(port: number): number {
    this.port = port === 0 ? this.#freePort() : port;
    return 0;
  }

  listen(): number {
    this.bind(this.port);
    this.#pending = [];
    this.#loopback.set(this.port, this);
    return 0;
  }

  /** Connects to a listener of the same run. */
  connect(port: number): number {
    const listener = this.#loopback.get(port);
    if (listener === undefined || listener.#pending === null || listener.#pending.length >= MOST_PENDING) {
      throw new Errno(ERRNO.ECONNREFUSED);
    }
    this.bind(this.port);
    const there = new Socket(this.#loopback, this.#bell, this.#room);
    const toThere = new ByteQueue(this.#room);
    const toHere = new ByteQueue(this.#room);
    this.become(new PairLine(toHere, toThere, this.#bell), "127.0.0.1", port);
    there.become(new PairLine(toThere, toHere, this.#bell), "127.0.0.1", this.port);
    there.port = port;
    listener.#pending.push(there);
    this.#bell.ring();
    return 0;
  }

  /** Makes the socket one end of a line. */
  become(line: Line, host: string, port: number): number {
    this.#line = line;
    this.peerHost = host;
    this.peerPort = port;
    return 0;
  }

  accept(): Socket | null {
    return this.#pending?.shift() ?? null;
  }

  shutdown(how: number): number {
    if (how > 0) {
      this.#line?.close();
    }
    return 0;
  }

  read(into: Uint8Array): number | null {
    const line = this.#connected();
    if (line.incoming.length === 0 && line.broken !== null) {
      throw new Errno(line.broken);
    }
    return line.incoming.length > 0 || line.incoming.ended ? line.incoming.take(into) : null;
  }

  write(bytes: Uint8Array): void {
    const line = this.#connected();
    if (line.broken !== null) {
      throw new Errno(line.broken);
    }
    line.send(bytes);
  }

  poll(): number {
    if (this.#pending !== null) {
      return this.#pending.length > 0 ? POLL.IN : 0;
    }
    if (this.#line === null) {
      return POLL.OUT | POLL.HUP;
    }
    const { incoming, broken } = this.#line;
    return POLL.OUT | (incoming.length > 0 || incoming.ended || broken !== null ? POLL.IN : 0);
  }

  retain(): void {
    this.#descriptors++;
  }

  release(): void {
    if (--this.#descriptors === 0) {
      this.#line?.close();
      this.#line?.leave();
      if (this.#pending !== null) {
        this.#loopback.delete(this.port);
      }
    }
  }

  #connected(): Line {
    if (this.#line === null) {
      throw new Errno(ERRNO.ENOTCONN);
    }
    return this.#line;
  }

  #freePort(): number {
    nextPort = nextPort >= LAST_PORT ? FIRST_PORT : nextPort + 1;
    return this.#loopback.has(nextPort) ? this.#freePort() : nextPort;
  }
}

/** One end of a connection inside the run. */
class PairLine implements Line {
  readonly incoming: ByteQueue;
  readonly broken = null;
  readonly #outgoing: ByteQueue;
  readonly #bell: Bell;

  constructor(incoming: ByteQueue, outgoing: ByteQueue, bell: Bell) {
    this.incoming = incoming;
    this.#outgoing = outgoing;
    this.#bell = bell;
  }

  send(bytes: Uint8Array): void {
    if (this.#outgoing.ended) {
      throw new Errno(ERRNO.EPIPE);
    }
    if (!this.#outgoing.push(bytes)) {
      throw new Errno(ERRNO.ENOMEM);
    }
    this.#bell.ring();
  }

  close(): void {
    this.#outgoing.ended = true;
    this.#bell.ring();
  }

  leave(): void {
    this.incoming.drop();
  }
}
