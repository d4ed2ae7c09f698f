/** Owns which object each Node.js module name stands for in a script; never what the modules do. */
import assert from "node:assert";
import asyncHooks from "node:async_hooks";
import buffer from "node:buffer";
import crypto from "node:crypto";
import diagnosticsChannel from "node:diagnostics_channel";
import events from "node:events";
import path from "node:path";
import querystring from "node:querystring";
import stream from "node:stream";
import streamConsumers from "node:stream/consumers";
import streamPromises from "node:stream/promises";
import streamWeb from "node:stream/web";
import stringDecoder from "node:string_decoder";
import url from "node:url";
import util from "node:util";
import zlib from "node:zlib";
import { HOME } from "../../files/layout.ts";
import { resolvePath } from "../../files/paths.ts";
import { parseArgs } from "./parse-args.ts";
import type { Timers } from "./timers.ts";

/** Parts that belong to one run. */
export interface RunParts {
  readonly process: { cwd(): string };
  readonly console: object;
  readonly fs: object;
  readonly fsPromises: object;
  readonly readline: object;
  readonly readlinePromises: object;
  readonly childProcess: object;
  readonly http: object;
  readonly https: object;
  readonly module: object;
  readonly timers: Timers;
}

/** Makes the table of modules by name without `node:`. */
export function makeModules(run: RunParts): ReadonlyMap<string, unknown> {
  const paths = makePath(run.process);
  const { timers } = run;
  const utils = { ...util, parseArgs };
  return new Map<string, unknown>(
    Object.entries({
      assert,
      "assert/strict": assert.strict,
      async_hooks: asyncHooks,
      buffer,
      child_process: run.childProcess,
      console: run.console,
      constants: (run.fs as { constants: object }).constants,
      crypto,
      diagnostics_channel: diagnosticsChannel,
      dns: unavailable("dns"),
      "dns/promises": unavailable("dns"),
      events,
      fs: run.fs,
      "fs/promises": run.fsPromises,
      http: run.http,
      https: run.https,
      module: run.module,
      net: unavailable("net"),
      os: makeOs(),
      path: paths,
      "path/posix": paths,
      "path/win32": path.win32,
      perf_hooks: { performance, PerformanceObserver: class {} },
      process: run.process,
      punycode: {},
      querystring,
      readline: run.readline,
      "readline/promises": run.readlinePromises,
      stream,
      "stream/consumers": streamConsumers,
      "stream/promises": streamPromises,
      "stream/web": streamWeb,
      string_decoder: stringDecoder,
      sys: utils,
      timers: {
        setTimeout: timers.setTimeout,
        setInterval: timers.setInterval,
        setImmediate: timers.setImmediate,
        clearTimeout: timers.clear,
        clearInterval: timers.clear,
        clearImmediate: timers.clear,
        promises: timers.promises,
      },
      "timers/promises": timers.promises,
      tls: unavailable("tls"),
      tty: { isatty: () => false, ReadStream: class {}, WriteStream: class {} },
      url: { ...url, URL, URLSearchParams },
      util: utils,
      "util/types": util.types,
      v8: { getHeapStatistics: () => ({}), serialize: structuredClone, deserialize: structuredClone },
      vm: unavailable("vm"),
      worker_threads: { isMainThread: true, parentPort: null, workerData: null, threadId: 0 },
      zlib,
    }),
  );
}

/** A module whose parts exist until they are called. */
function unavailable(name: string): object {
  return new Proxy(
    {},
    {
      get: (_target, key) => {
        if (typeof key === "symbol" || key === "then" || key === "__esModule") {
          return undefined;
        }
        return () => {
          throw Object.assign(new Error(`${name}.${key} is not available in the sandbox`), {
            code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
          });
        };
      },
    },
  );
}

/** `path` with the script's own working directory. */
function makePath(process: { cwd(): string }) {
  const resolve = (...parts: string[]) =>
    parts.reduce((base, part) => (part === "" ? base : resolvePath(base, part)), process.cwd());
  const own = {
    ...path.posix,
    resolve,
    relative: (from: string, to: string) => path.posix.relative(resolve(from), resolve(to)),
  };
  return Object.assign(own, { posix: own, win32: path.win32 });
}

function makeOs() {
  return {
    EOL: "\n",
    devNull: "/dev/null",
    arch: () => "x64",
    platform: () => "linux",
    type: () => "Linux",
    release: () => "6.6.0",
    version: () => "#1 SMP",
    machine: () => "x86_64",
    hostname: () => "sandbox",
    homedir: () => HOME,
    tmpdir: () => "/tmp",
    endianness: () => "LE",
    cpus: () => [{ model: "sandbox", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    availableParallelism: () => 1,
    totalmem: () => 128 * 1024 * 1024,
    freemem: () => 64 * 1024 * 1024,
    loadavg: () => [0, 0, 0],
    uptime: () => 1,
    networkInterfaces: () => ({}),
    userInfo: () => ({ username: "agent", uid: 1000, gid: 1000, shell: "/bin/sh", homedir: HOME }),
    constants: { signals: { SIGINT: 2, SIGTERM: 15, SIGKILL: 9 }, errno: {}, priority: {} },
  };
}
