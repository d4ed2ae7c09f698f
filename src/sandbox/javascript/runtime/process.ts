/** Owns `process` as a script sees it; never the isolate's own. */
import type { EventEmitter } from "node:events";
import { builtin } from "./builtins.ts";
import type { Standard } from "./descriptors.ts";
import { lateClass, type OldClass } from "./late-class.ts";
import { platform } from "./late-parts.ts";
import { Exit, type Loop } from "./loop.ts";
import { once } from "./once.ts";
import { wrongType } from "./received.ts";
import { makeOutput, makeStdin } from "./standard-streams.ts";
import type { Guard } from "./timers.ts";
import { type WarningOptions, warningOf, warningText } from "./warnings.ts";

/** The version that scripts are told. */
export const NODE_VERSION = "24.21.0";

export interface ProcessOptions {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The directory that a path leads to. */
  readonly directoryAt: (path: string) => string;
  readonly textOf: (path: string) => string;
  /** Programs that the script has started, by number. */
  readonly programs: ReadonlyMap<number, { kill(signal?: string | number): boolean }>;
  /** A module of Node.js; undefined when there is none of the name. */
  readonly moduleOf: (name: string) => unknown;
  readonly standard: Standard;
  readonly loop: Loop;
  readonly guard: Guard;
}

/** What Node.js ends with when top-level await can never go on. */
const UNSETTLED = 13;

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
    exitCode = statusFrom(code) ?? exitCode;
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
  loop.unsettled = () => {
    exitCode ??= UNSETTLED;
    standard.stderr(new TextEncoder().encode(`Warning: Detected unsettled top-level await at ${options.argv[0]}\n`));
    runExitHandlers();
    return status();
  };
  loop.onIdle = () => emit("beforeExit", status());
  let mask = 0o022;
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
    kill: (pid: number, signal: string | number = "SIGTERM") => {
      const { name, number } = platform().signalOf(signal);
      const program = options.programs.get(Math.abs(pid));
      if (program !== undefined) {
        return program.kill(signal);
      }
      if (Math.abs(pid) > 1) {
        throw Object.assign(new Error("kill ESRCH"), { errno: -3, code: "ESRCH", syscall: "kill" });
      }
      if (name === undefined || (name !== "SIGKILL" && name !== "SIGSTOP" && listeners(name) > 0)) {
        const deliver = () => options.guard(() => process.emit(String(name), name, number));
        return name === undefined || loop.track(soon(deliver)) !== null;
      }
      if (!platform().isIgnored(name)) {
        loop.end({ status: 128 + number, limit: null });
        throw new Exit(128 + number);
      }
      return true;
    },
    umask: (wanted?: number | string) => {
      const before = mask;
      mask = wanted === undefined ? mask : Number.parseInt(String(wanted), typeof wanted === "string" ? 8 : 10) & 0o777;
      return before;
    },
    loadEnvFile: (path = ".env") => {
      const found = builtin("util").parseEnv(options.textOf(path));
      for (const [name, value] of Object.entries(found)) {
        process.env[name] ??= String(value);
      }
    },
    getBuiltinModule: (name: string) => options.moduleOf(name),
    getuid: () => 1000,
    geteuid: () => 1000,
    getgid: () => 1000,
    getegid: () => 1000,
    getgroups: () => [1000],
    getActiveResourcesInfo: () => [] as string[],
    allowedNodeEnvironmentFlags: new Set<string>(),
    debugPort: 9229,
    sourceMapsEnabled: false,
    setSourceMapsEnabled: () => undefined,
    ref: () => undefined,
    unref: () => undefined,
    uptime: () => (Date.now() - loop.startedAt) / 1000,
    hrtime: Object.assign(hrtime, { bigint: () => BigInt(Math.round(performance.now() * 1e6)) }),
    memoryUsage: Object.assign(
      () => ({ rss: 64e6, heapTotal: 32e6, heapUsed: 16e6, external: 1e6, arrayBuffers: 1e5 }),
      { rss: () => 64e6 },
    ),
    availableMemory: () => 64e6,
    constrainedMemory: () => 128e6,
    resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: 64_000 }),
    cpuUsage: () => ({ user: Math.round(performance.now() * 1000), system: 0 }),
    nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]) => {
      if (typeof callback !== "function") {
        throw wrongType("callback", "of type function", callback);
      }
      const release = loop.hold();
      loop.ticks.add(() => {
        options.guard(() => callback(...args));
        release();
      });
    },
    emitWarning: (warning: string | Error, type?: string | WarningOptions, code?: string) => {
      const error = warningOf(warning, type, code);
      own.nextTick(() => {
        standard.stderr(new TextEncoder().encode(warningText(error) + hint()));
        if (listeners("warning") > 0) {
          process.emit("warning", error);
        }
      });
    },
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
    set: (code: unknown) => {
      exitCode = statusFrom(code);
    },
  });
  Object.defineProperty(process, Symbol.toStringTag, { value: "process", configurable: true });
  const listeners = (event: string) => (isEmitter ? process.listenerCount(event) : 0);
  return { process, listeners };
}

/** What `process.exitCode` and `process.exit` take: whole numbers, as text too. */
function statusFrom(code: unknown): number | string | undefined {
  if (code === undefined || code === null) {
    return undefined;
  }
  if (typeof code === "number" || (typeof code === "string" && code.trim() !== "" && Number.isInteger(Number(code)))) {
    return code;
  }
  throw wrongType("code", "of type number", code);
}

/** Calls it once what runs now is over. */
async function soon(call: () => void): Promise<void> {
  await undefined;
  call();
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
