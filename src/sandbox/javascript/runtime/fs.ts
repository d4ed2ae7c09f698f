/** Owns the module `fs` whole: callbacks, promises and streams made from the synchronous functions; never files themselves. */
import { builtin } from "./builtins.ts";
import type { Descriptors } from "./descriptors.ts";
import { FileHandle } from "./file-handle.ts";
import { makeGlob } from "./fs-glob.ts";
import type { FsSync } from "./fs-sync.ts";
import { CONSTANTS, Dirent, Stats } from "./fs-types.ts";
import type { Loop } from "./loop.ts";
import { once } from "./once.ts";
import type { Timers } from "./timers.ts";

type AnyFunction = (...args: never[]) => unknown;

/** Makes `fs` and `fs/promises`. */
export function makeFs(sync: FsSync, descriptors: Descriptors, loop: Loop, timers: Timers, cwd: () => string) {
  const streams = once(() => makeStreams(sync, descriptors));
  const globs = makeGlob(sync, cwd);
  const later = <T>(work: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      timers.setImmediate(() => {
        loop.throwIfOver();
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
  const promised: Record<string, AnyFunction> = {};
  const callbacks: Record<string, AnyFunction> = {};
  for (const [name, call] of Object.entries(sync) as [string, AnyFunction][]) {
    const plain = name.replace(/Sync$/, "");
    promised[plain] = (...args: never[]) => later(() => call(...args));
    callbacks[plain] = (...args: never[]) => {
      const callback = args.pop() as unknown as (error: unknown, ...values: unknown[]) => void;
      if (typeof callback !== "function") {
        throw Object.assign(new TypeError('The "cb" argument must be of type function'), {
          code: "ERR_INVALID_ARG_TYPE",
        });
      }
      void settle(
        later(() => call(...args)),
        (error, value) => {
          timers.guard(() =>
            plain === "exists"
              ? callback(value)
              : error === null
                ? callback(null, value, ...args.slice(1, 2))
                : callback(error),
          );
        },
      );
    };
  }
  promised.open = (...args: never[]) =>
    later(() => new FileHandle((sync.openSync as AnyFunction)(...args) as number, { sync, later, streams }));
  promised.opendir = (path: never) => later(() => directory(sync, path));
  const { globSync } = globs;
  callbacks.glob = (...args: never[]) => {
    const callback = args.pop() as unknown as (error: unknown, found?: unknown) => void;
    void settle(
      later(() => (globSync as AnyFunction)(...args)),
      (error, found) => timers.guard(() => callback(error, found)),
    );
  };
  const promises = { ...promised, glob: globs.glob, constants: CONSTANTS };
  const fs = {
    ...sync,
    ...callbacks,
    globSync,
    opendirSync: (path: never) => directory(sync, path),
    createReadStream: (path: never, how?: StreamOptions | BufferEncoding) => new (streams().ReadStream)(path, how),
    createWriteStream: (path: never, how?: StreamOptions | BufferEncoding) => new (streams().WriteStream)(path, how),
    promises,
    constants: CONSTANTS,
    ...CONSTANTS,
    Stats,
    Dirent,
    watch: unsupported,
    watchFile: unsupported,
  };
  for (const name of ["ReadStream", "WriteStream"] as const) {
    Object.defineProperty(fs, name, { get: () => streams()[name], enumerable: true, configurable: true });
  }
  return { fs, promises };
}

async function settle<T>(promise: Promise<T>, done: (error: unknown, value?: T) => void): Promise<void> {
  let value: T;
  try {
    value = await promise;
  } catch (error) {
    done(error);
    return;
  }
  done(null, value);
}

function unsupported(): never {
  throw Object.assign(new Error("The sandbox does not watch files"), { code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" });
}

function directory(sync: FsSync, path: never) {
  const entries = sync.readdirSync(path, { withFileTypes: true }) as Dirent[];
  let at = 0;
  return {
    path,
    readSync: () => entries[at++] ?? null,
    read: async () => entries[at++] ?? null,
    closeSync: () => undefined,
    close: async () => undefined,
    async *[Symbol.asyncIterator]() {
      yield* entries;
    },
  };
}

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
function makeStreams(sync: FsSync, descriptors: Descriptors) {
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
