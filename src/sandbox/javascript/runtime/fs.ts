/** Owns the module `fs` whole: callbacks, promises and streams made from the synchronous functions; never files themselves. */
import type { Descriptors } from "./descriptors.ts";
import { FileHandle } from "./file-handle.ts";
import { makeGlob } from "./fs-glob.ts";
import { makeStreams, type StreamOptions } from "./fs-streams.ts";
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
