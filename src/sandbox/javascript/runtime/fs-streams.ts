/** Owns the classes of streams over a run's files, as `fs` has them; never which calls make one. */
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
  readonly fd?: number;
}

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
      this.#fd = options.fd ?? null;
    }

    override _construct(callback: (error?: Error | null) => void): void {
      try {
        this.#fd ??= sync.openSync(this.path as never, "r");
        callback();
        this.emit("open", this.#fd);
        this.emit("ready");
      } catch (error) {
        callback(error as Error);
      }
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
    #fd: number | null = null;

    constructor(path: never, how?: StreamOptions | BufferEncoding) {
      const options: StreamOptions = typeof how === "string" ? {} : (how ?? {});
      super({ decodeStrings: true });
      this.path = path;
      this.#flags = options.flags ?? "w";
      this.#fd = options.fd ?? null;
    }

    override _construct(callback: (error?: Error | null) => void): void {
      try {
        this.#fd ??= sync.openSync(this.path as never, this.#flags);
        callback();
        this.emit("open", this.#fd);
        this.emit("ready");
      } catch (error) {
        callback(error as Error);
      }
    }

    override _write(chunk: Uint8Array, _encoding: string, callback: (error?: Error | null) => void): void {
      try {
        this.bytesWritten += descriptors.write(this.#fd ?? -1, chunk, null);
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

function close(fd: number | null, sync: FsSync): void {
  if (fd !== null && fd > 2) {
    try {
      sync.closeSync(fd);
    } catch {
      // Closed by the script itself.
    }
  }
}
