/** Owns the module `fs` whole: callbacks, promises and streams made from the synchronous functions; never files themselves. */
import { abortError } from "./aborted.ts";
import type { Descriptors } from "./descriptors.ts";
import { FileHandle } from "./file-handle.ts";
import { Dir } from "./fs-directory.ts";
import { makeGlob } from "./fs-glob.ts";
import { makeStreams, type StreamOptions } from "./fs-streams.ts";
import type { FsSync } from "./fs-sync.ts";
import { CONSTANTS, Dirent, Stats } from "./fs-types.ts";
import type { Loop } from "./loop.ts";
import { once } from "./once.ts";
import { wrongType } from "./received.ts";
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
        throw wrongType("cb", "of type function", callback);
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
  Object.assign(callbacks.realpath as object, { native: callbacks.realpath });
  promised.open = (...args: never[]) =>
    later(() => new FileHandle((sync.openSync as AnyFunction)(...args) as number, { sync, later, streams }));
  promised.opendir = (path: never, how?: never) => later(() => new Dir(sync, path, how));
  callbacks.opendir = (path: never, ...rest: never[]) => {
    const callback = rest.pop() as unknown as (error: unknown, dir?: Dir) => void;
    void settle(
      later(() => new Dir(sync, path, rest[0])),
      (error, dir) => timers.guard(() => callback(error, dir)),
    );
  };
  for (const name of ["readFile", "writeFile", "appendFile"]) {
    promised[name] = abortable(promised[name] as AnyFunction);
  }
  const { globSync } = globs;
  callbacks.glob = (...args: never[]) => {
    const callback = args.pop() as unknown as (error: unknown, found?: unknown) => void;
    void settle(
      later(() => (globSync as AnyFunction)(...args)),
      (error, found) => timers.guard(() => callback(error, found)),
    );
  };
  for (const name of OF_NUMBERS) {
    delete promised[name];
  }
  const promises = { ...promised, watch: unsupported, glob: globs.glob, constants: CONSTANTS };
  const fs = {
    ...sync,
    ...callbacks,
    globSync,
    opendirSync: (path: never, how?: never) => new Dir(sync, path, how),
    openAsBlob: async (path: never) => new Blob([sync.readFileSync(path) as Uint8Array<ArrayBuffer>]),
    createReadStream: (path: never, how?: StreamOptions | BufferEncoding) => new (streams().ReadStream)(path, how),
    createWriteStream: (path: never, how?: StreamOptions | BufferEncoding) => new (streams().WriteStream)(path, how),
    promises,
    constants: CONSTANTS,
    ...CONSTANTS,
    Stats,
    Dirent,
    Dir,
    watch: unsupported,
    unwatchFile: () => undefined,
    watchFile: unsupported,
  };
  for (const name of ["ReadStream", "WriteStream"] as const) {
    Object.defineProperty(fs, name, { get: () => streams()[name], enumerable: true, configurable: true });
  }
  return { fs, promises };
}

/** What `fs/promises` has only for open files. */
const OF_NUMBERS = [
  "close",
  "exists",
  "fchmod",
  "fchown",
  "fdatasync",
  "fstat",
  "fsync",
  "ftruncate",
  "futimes",
].concat(["openable", "read", "readv", "write", "writev"]);

/** The call with a signal among its options, and with texts and bytes that come one after the other. */
function abortable(call: AnyFunction): AnyFunction {
  return async (...args: never[]) => {
    const options = args.at(-1) as { readonly signal?: AbortSignal } | undefined;
    const signal = typeof options === "object" && options !== null ? options.signal : undefined;
    const data = args.length > 1 ? await whole(args[1]) : undefined;
    if (signal?.aborted === true) {
      throw abortError(signal);
    }
    return call(...((args.length > 1 ? [args[0], data, ...args.slice(2)] : args) as never[]));
  };
}

async function whole(data: unknown): Promise<unknown> {
  const isStream =
    typeof data === "object" &&
    data !== null &&
    !ArrayBuffer.isView(data) &&
    (Symbol.asyncIterator in data || Symbol.iterator in data);
  if (!isStream) {
    return data;
  }
  const parts: Uint8Array[] = [];
  for await (const part of data as AsyncIterable<string | Uint8Array>) {
    parts.push(typeof part === "string" ? Buffer.from(part) : part);
  }
  return Buffer.concat(parts);
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
