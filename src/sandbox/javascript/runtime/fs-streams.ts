/** Owns the classes of streams over a run's files, as `fs` has them; never which calls make one. */
import type { Readable, Writable } from "node:stream";
import { builtin } from "./builtins.ts";
import type { Descriptors } from "./descriptors.ts";
import type { FsSync } from "./fs-sync.ts";

/** As `createReadStream` and `createWriteStream` take them. */
export interface StreamOptions {
  readonly encoding?: BufferEncoding;
  readonly flags?: string;
  readonly start?: number;
  readonly end?: number;
  readonly highWaterMark?: number;
  readonly fd?: number | { readonly fd: number };
  readonly mode?: number;
}

const numberOf = (fd: StreamOptions["fd"]): number | null => (typeof fd === "object" ? fd.fd : (fd ?? null));

/** The classes of streams over files. */
export function makeStreams(sync: FsSync, descriptors: Descriptors) {
  const { Readable, Writable } = builtin("stream");
  class ReadStream extends Readable {
    readonly path: unknown;
    bytesRead = 0;
    #fd: number | null = null;
    #at: number;
    readonly #end: number;

    constructor(path: never, how?: StreamOptions | BufferEncoding) {
      const options: StreamOptions = typeof how === "string" ? { encoding: how } : (how ?? {});
      super({
        highWaterMark: options.highWaterMark ?? 65536,
        ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
      });
      this.path = path;
      this.#at = options.start ?? 0;
      this.#end = options.end ?? Number.POSITIVE_INFINITY;
      this.#fd = numberOf(options.fd);
    }

    override _construct(callback: (error?: Error | null) => void): void {
      open(this, () => (this.#fd ??= sync.openSync(this.path as never, "r")), callback);
    }

    get fd(): number | null {
      return this.#fd;
    }
    get pending(): boolean {
      return this.#fd === null;
    }
    close(done?: (error?: Error | null) => void): void {
      closeStream(this, done);
    }

    override _read(size: number): void {
      try {
        const buffer = new Uint8Array(Math.max(0, Math.min(size, this.#end - this.#at + 1)));
        const count =
          this.#fd === 0 ? descriptors.read(0, buffer, null) : descriptors.read(this.#fd ?? -1, buffer, this.#at);
        this.#at += count;
        this.bytesRead += count;
        this.push(count === 0 ? null : Buffer.from(buffer.subarray(0, count)));
      } catch (error) {
        this.destroy(error as Error);
      }
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      close(this.#fd, sync);
      this.#fd = null;
      callback(error);
    }
  }

  class WriteStream extends Writable {
    readonly path: unknown;
    bytesWritten = 0;
    readonly #flags: string;
    readonly #mode: number | undefined;
    #fd: number | null = null;
    /** Null: where the file stands. */
    #at: number | null;

    constructor(path: never, how?: StreamOptions | BufferEncoding) {
      const options: StreamOptions = typeof how === "string" ? {} : (how ?? {});
      super({ decodeStrings: true, ...(options.highWaterMark && { highWaterMark: options.highWaterMark }) });
      if (options.encoding !== undefined) {
        this.setDefaultEncoding(options.encoding);
      }
      this.path = path;
      this.#flags = options.flags ?? "w";
      this.#mode = options.mode;
      this.#at = options.start ?? null;
      this.#fd = numberOf(options.fd);
    }

    override _construct(callback: (error?: Error | null) => void): void {
      open(this, () => (this.#fd ??= sync.openSync(this.path as never, this.#flags, this.#mode)), callback);
    }

    get fd(): number | null {
      return this.#fd;
    }
    get pending(): boolean {
      return this.#fd === null;
    }
    close(done?: (error?: Error | null) => void): void {
      closeStream(this, done);
    }

    override _write(chunk: Uint8Array, _encoding: string, callback: (error?: Error | null) => void): void {
      try {
        const count = descriptors.write(this.#fd ?? -1, chunk, this.#at);
        this.#at = this.#at === null ? null : this.#at + count;
        this.bytesWritten += count;
        callback();
      } catch (error) {
        callback(error as Error);
      }
    }

    override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
      close(this.#fd, sync);
      this.#fd = null;
      callback(error);
    }
  }

  return { ReadStream, WriteStream };
}

/** Opens the file of a stream, and says so as Node.js does. */
function open(stream: Readable | Writable, file: () => number, callback: (error?: Error | null) => void): void {
  try {
    const fd = file();
    callback();
    stream.emit("open", fd);
    stream.emit("ready");
  } catch (error) {
    callback(error as Error);
  }
}

/** A stream that is written to ends first. */
function closeStream(stream: Readable | Writable, done?: (error?: Error | null) => void): void {
  if (done !== undefined) {
    stream.once("close", () => done());
  }
  if ("end" in stream && !stream.destroyed) {
    stream.end(() => stream.destroy());
  } else {
    stream.destroy();
  }
}

function close(fd: number | null, sync: FsSync): void {
  if (fd !== null && fd > 2) {
    try {
      sync.closeSync(fd);
    } catch {
      // Closed by the script itself.
    }
  }
}
