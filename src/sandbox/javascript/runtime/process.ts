/** Owns `process` as a script sees it; never the isolate's own. */
import type { EventEmitter } from "node:events";
import { builtin } from "./builtins.ts";
import type { Standard } from "./descriptors.ts";
import { lateClass, type OldClass } from "./late-class.ts";
import { Exit, type Loop } from "./loop.ts";
import { once } from "./once.ts";
import { bytesOf } from "./text-bytes.ts";
import type { Guard } from "./timers.ts";

/** The version that scripts are told. */
export const NODE_VERSION = "24.21.0";

export interface ProcessOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The directory that a path leads to. */
  readonly directoryAt: (path: string) => string;
  readonly standard: Standard;
  readonly loop: Loop;
  readonly guard: Guard;
}

/** The script's working directory; changes with `process.chdir`. */
export class WorkingDirectory {
  path: string;

  constructor(path: string) {
    this.path = path;
  }
}

/** The standard streams, made when they are first used. */
interface Streams {
  readonly stdin: ReturnType<typeof makeStdin>;
  readonly stdout: ReturnType<typeof makeOutput>;
  readonly stderr: ReturnType<typeof makeOutput>;
}

/** Makes `process`, and what tells how many listeners an event of it has. */
export function makeProcess(options: ProcessOptions, directory: WorkingDirectory) {
  const { loop, standard } = options;
  let exitCode: number | string | undefined;
  const status = () => Number(exitCode ?? 0) & 0xff;
  const exit = (code?: number | string): never => {
    if (loop.over) {
      throw new Exit(null);
    }
    exitCode = code ?? exitCode;
    runExitHandlers();
    loop.end({ status: status(), limit: null });
    throw new Exit(status());
  };
  let hinted = false;
  const hint = () => {
    const text = hinted ? "" : "(Use `node --trace-warnings ...` to show where the warning was created)\n";
    hinted = true;
    return text;
  };
  let exiting = false;
  const runExitHandlers = () => {
    if (!exiting) {
      exiting = true;
      emit("exit", status());
    }
  };
  loop.exitStatus = () => {
    runExitHandlers();
    return status();
  };
  loop.onIdle = () => emit("beforeExit", status());
  const own = {
    title: "node",
    version: `v${NODE_VERSION}`,
    versions: { node: NODE_VERSION, v8: "13.6", uv: "1", zlib: "1", modules: "137" },
    arch: "x64",
    platform: "linux",
    release: { name: "node", lts: "Krypton" },
    argv: ["/usr/bin/node", ...options.argv],
    argv0: "node",
    execArgv: [] as string[],
    execPath: "/usr/bin/node",
    env: environment(options.env),
    pid: 1,
    ppid: 0,
    exitCode: undefined as number | string | undefined,
    config: {},
    features: { inspector: true, typescript: "strip" },
    cwd: () => directory.path,
    chdir: (path: string) => {
      directory.path = options.directoryAt(path);
    },
    exit,
    reallyExit: exit,
    abort: () => exit(134),
    kill: () => {
      throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH", syscall: "kill" });
    },
    umask: () => 0o022,
    getuid: () => 1000,
    geteuid: () => 1000,
    getgid: () => 1000,
    getegid: () => 1000,
    uptime: () => (Date.now() - loop.startedAt) / 1000,
    hrtime: Object.assign(hrtime, { bigint: () => BigInt(Math.round(performance.now() * 1e6)) }),
    memoryUsage: Object.assign(
      () => ({ rss: 64e6, heapTotal: 32e6, heapUsed: 16e6, external: 1e6, arrayBuffers: 1e5 }),
      { rss: () => 64e6 },
    ),
    resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: 64_000 }),
    cpuUsage: () => ({ user: Math.round(performance.now() * 1000), system: 0 }),
    nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]) => {
      const release = loop.hold();
      void (async () => {
        await undefined;
        options.guard(() => callback(...args));
        release();
      })();
    },
    emitWarning: (warning: string | Error, type?: string | WarningOptions, code?: string) =>
      standard.stderr(new TextEncoder().encode(warningText(warning, type, code) + hint())),
    setUncaughtExceptionCaptureCallback: () => undefined,
    hasUncaughtExceptionCaptureCallback: () => false,
  };
  const process = own as typeof own & EventEmitter & Streams;
  const streams = {
    stdin: once(() => makeStdin(standard.stdin, loop)),
    stdout: once(() => makeOutput(1, standard.stdout, options.guard)),
    stderr: once(() => makeOutput(2, standard.stderr, options.guard)),
  };
  for (const [name, get] of Object.entries(streams)) {
    const set = (value: unknown) => Object.defineProperty(process, name, { value, writable: true });
    Object.defineProperty(process, name, { enumerable: true, configurable: true, get, set });
  }
  let isEmitter = false;
  lateClass(process, () => {
    isEmitter = true;
    return builtin("events").EventEmitter as unknown as OldClass;
  });
  const emit = (event: string, code: number) => isEmitter && options.guard(() => process.emit(event, code));
  Object.defineProperty(process, "exitCode", {
    enumerable: true,
    get: () => exitCode,
    set: (code: number | string | undefined) => {
      exitCode = code;
    },
  });
  Object.defineProperty(process, Symbol.toStringTag, { value: "process", configurable: true });
  const listeners = (event: string) => (isEmitter ? process.listenerCount(event) : 0);
  return { process, listeners };
}

interface WarningOptions {
  readonly type?: string;
  readonly code?: string;
}

function warningText(warning: string | Error, type: string | WarningOptions | undefined, code?: string): string {
  const options: WarningOptions =
    typeof type === "object" ? type : { ...(type ? { type } : {}), ...(code ? { code } : {}) };
  const name = warning instanceof Error ? warning.name : (options.type ?? "Warning");
  const label = options.code === undefined ? "" : `[${options.code}] `;
  return `(node:1) ${label}${name}: ${warning instanceof Error ? warning.message : warning}\n`;
}

/** Values become texts, as in Node.js. */
function environment(given: Readonly<Record<string, string>>): Record<string, string> {
  const env = { ...given };
  const custom = Symbol.for("nodejs.util.inspect.custom");
  Object.defineProperty(env, custom, { value: () => ({ ...env }), configurable: true, enumerable: false });
  return new Proxy<Record<string, string>>(env, {
    set(target, key, value) {
      if (typeof key === "string") {
        target[key] = String(value);
      }
      return true;
    },
  });
}

function hrtime(before?: [number, number]): [number, number] {
  const ms = performance.now();
  const time: [number, number] = [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];
  if (before === undefined) {
    return time;
  }
  const nanoseconds = (time[0] - before[0]) * 1e9 + time[1] - before[1];
  return [Math.floor(nanoseconds / 1e9), nanoseconds % 1e9];
}

function makeStdin(bytes: Uint8Array, loop: Loop) {
  const { Readable } = builtin("stream");
  let rest: Uint8Array | null = bytes;
  let release: (() => void) | null = null;
  const stdin = new Readable({
    read() {
      release ??= loop.hold();
      const piece = rest;
      rest = null;
      if (piece !== null && piece.length > 0) {
        this.push(Buffer.from(piece));
      } else {
        this.push(null);
      }
    },
  });
  const done = () => release?.();
  stdin.once("end", done).once("close", done);
  return Object.assign(stdin, {
    fd: 0,
    isTTY: undefined,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
}

function makeOutput(fd: number, write: (bytes: Uint8Array) => void, guard: Guard) {
  // What is written is kept at once, in order with what `console` and `fs.writeSync` print.
  const put = (chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk)) {
      const error = new TypeError(
        'The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView.',
      );
      throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
    }
    const bytes =
      typeof chunk === "string"
        ? bytesOf(chunk, encoding)
        : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    write(bytes);
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") {
      queueMicrotask(() => guard(() => done()));
    }
    return true;
  };
  const stream = {
    fd,
    isTTY: undefined,
    columns: undefined,
    write: put,
    _write: (chunk: Uint8Array, _encoding: string, callback: () => void) => {
      write(chunk);
      callback();
    },
    end: (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
      if (chunk !== undefined && chunk !== null && typeof chunk !== "function") {
        put(chunk, encoding, callback);
      }
      return stream;
    },
    _destroy: () => undefined,
    getColorDepth: () => 1,
    hasColors: () => false,
  };
  lateClass(stream, () => builtin("stream").Writable as unknown as OldClass, { decodeStrings: true });
  return stream;
}
