/** Owns what stands behind a descriptor that is no file: pipes and sockets, their waiting included; never where bytes go beyond it. */

import type { Bell } from "../box/bell.ts";
import type { ByteQueue } from "./byte-queue.ts";
import type { EmFs, EmNode, EmStream } from "./emscripten.ts";

/** Numbers of errors as Emscripten's libc knows them. */
export const ERRNO = {
  EAGAIN: 6,
  EBADF: 8,
  ECHILD: 12,
  ECONNREFUSED: 14,
  ECONNRESET: 15,
  EINVAL: 28,
  ENOENT: 44,
  ENOMEM: 48,
  ENOEXEC: 45,
  ENOTCONN: 53,
  ENOTSOCK: 57,
  EPIPE: 64,
  EPROTONOSUPPORT: 66,
  EACCES: 2,
} as const;

/** Bits of poll(2). */
export const POLL = { IN: 1, OUT: 4, ERR: 8, HUP: 16 } as const;

const NONBLOCK = 0o4000;
const FIFO_MODE = 0o010600;
const SOCKET_MODE = 0o140600;

/** One end of a pipe or socket. */
export interface Endpoint {
  /** Fills a buffer; gives how many bytes, 0 at the end, null when there is nothing yet. Throws the number of an error. */
  read(into: Uint8Array): number | null;
  /** Takes bytes. Throws the number of an error. */
  write(bytes: Uint8Array): void;
  /** What could be done without waiting. */
  poll(): number;
  /** One more descriptor leads here. */
  retain(): void;
  /** One less; with the last the end is closed. */
  release(): void;
}

/** An error number on its way to Python. */
export class Errno {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}

/** The end of a pipe that is read. */
export class PipeReader implements Endpoint {
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  read(into: Uint8Array): number | null {
    const { queue, writers } = this.#pipe;
    return queue.length > 0 || writers === 0 ? queue.take(into) : null;
  }
  write(): void {
    throw new Errno(ERRNO.EBADF);
  }
  poll(): number {
    const { queue, writers } = this.#pipe;
    return (queue.length > 0 ? POLL.IN : 0) | (writers === 0 ? POLL.HUP : 0);
  }
  retain(): void {
    this.#pipe.readers++;
  }
  release(): void {
    if (--this.#pipe.readers === 0) {
      this.#pipe.queue.drop();
    }
    this.#pipe.bell.ring();
  }
}

/** The end of a pipe that is written. */
export class PipeWriter implements Endpoint {
  readonly #pipe: Pipe;

  constructor(pipe: Pipe) {
    this.#pipe = pipe;
  }

  read(): number {
    throw new Errno(ERRNO.EBADF);
  }
  write(bytes: Uint8Array): void {
    if (this.#pipe.readers === 0) {
      throw new Errno(ERRNO.EPIPE);
    }
    if (!this.#pipe.queue.push(bytes)) {
      throw new Errno(ERRNO.ENOMEM);
    }
    this.#pipe.bell.ring();
  }
  poll(): number {
    return POLL.OUT | (this.#pipe.readers === 0 ? POLL.ERR : 0);
  }
  retain(): void {
    this.#pipe.writers++;
  }
  release(): void {
    this.#pipe.writers--;
    this.#pipe.bell.ring();
  }
}

/** A pipe and how many descriptors lead to each end. */
export interface Pipe {
  readonly queue: ByteQueue;
  readonly bell: Bell;
  readers: number;
  writers: number;
}

interface EndpointNode extends EmNode {
  endpoint: Endpoint;
}

/** The endpoint behind a descriptor, or null for files and what is not open. */
export function endpointOf(stream: EmStream | null | undefined): Endpoint | null {
  return stream !== null && stream !== undefined && "endpoint" in stream.node
    ? (stream.node as EndpointNode).endpoint
    : null;
}

export function isBlocking(stream: EmStream): boolean {
  return (stream.flags & NONBLOCK) === 0;
}

/** Switches waiting on or off; Emscripten's own fcntl only ever switches it off. */
export function setBlocking(stream: EmStream, blocking: "wait" | "never wait"): void {
  stream.flags = blocking === "wait" ? stream.flags & ~NONBLOCK : stream.flags | NONBLOCK;
}

/** Gives an endpoint a descriptor. */
export function openEndpoint(fs: EmFs, endpoint: Endpoint, kind: "pipe" | "socket", flags: number): number {
  const mode = kind === "pipe" ? FIFO_MODE : SOCKET_MODE;
  const node = Object.assign(new fs.FSNode(null, kind, mode, 0), { endpoint });
  const time = new Date(0);
  const fixed = {
    dev: 1,
    ino: node.id,
    mode,
    nlink: 1,
    uid: 1000,
    gid: 1000,
    rdev: 0,
    size: 0,
    blksize: 4096,
    blocks: 0,
  };
  node.node_ops = { getattr: () => ({ ...fixed, atime: time, mtime: time, ctime: time }) };
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw error instanceof Errno ? new fs.ErrnoError(error.number) : error;
    }
  };
  node.stream_ops = {
    read: (_stream, buffer, offset, length) =>
      guard(() => {
        const count = endpoint.read(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length));
        if (count === null) {
          throw new Errno(ERRNO.EAGAIN);
        }
        return count;
      }),
    write: (_stream, buffer, offset, length) =>
      guard(() => {
        endpoint.write(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length));
        return length;
      }),
    poll: () => endpoint.poll(),
    dup: () => endpoint.retain(),
    close: () => endpoint.release(),
  };
  endpoint.retain();
  const path = `${kind}:[${node.id}]`;
  return fs.createStream({ node, path, flags, seekable: false, position: 0, stream_ops: node.stream_ops }).fd ?? -1;
}
