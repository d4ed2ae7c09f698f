/** Owns which object each Node.js module name stands for in a script; never what the modules do. */

import { NODE_ABSENT } from "../../../model/node-absent.ts";
import { resolvePath } from "../../files/paths.ts";
import { builtin } from "./builtins.ts";
import { lateNames } from "./late-names.ts";
import { loadRunFiles, parseArgs, platform } from "./late-parts.ts";
import { once } from "./once.ts";
import { wrongType } from "./received.ts";
import type { Timers } from "./timers.ts";
import { UTIL_NAMES } from "./util-names.ts";

/** Parts that belong to one run; what takes time to make is made when it is asked for. */
export interface RunParts {
  readonly process: { cwd(): string };
  readonly console: object;
  readonly module: object;
  readonly timers: Timers;
  readonly fs: () => { readonly fs: { readonly constants: object }; readonly promises: object };
  readonly readline: () => { readonly readline: object; readonly promises: object };
  readonly childProcess: () => object;
  readonly http: (protocol: "http:" | "https:") => object;
}

/** The modules of one run by name without `node:`; one that a script does not ask for is never made. */
export class Modules {
  readonly #makers: ReadonlyMap<string, () => unknown>;

  constructor(makers: Readonly<Record<string, () => unknown>>) {
    this.#makers = new Map(Object.entries(makers).map(([name, make]) => [name, once(make)]));
  }

  get names(): string[] {
    return [...this.#makers.keys()];
  }

  has(name: string): boolean {
    return this.#makers.has(name);
  }

  /** Undefined when there is no such module. */
  get(name: string): unknown {
    return this.#makers.get(name)?.();
  }
}

/** Makes the table of a run's modules. */
export function makeModules(run: RunParts): Modules {
  const { timers } = run;
  const paths = once(() => makePath(run.process));
  const utils = once(() =>
    Object.assign(
      lateNames(UTIL_NAMES, () => builtin("util")),
      { parseArgs, debuglog, debug: debuglog, ...SYSTEM_ERRORS },
    ),
  );
  const dns = () => unavailable("dns");
  return new Modules({
    assert: () => builtin("assert"),
    "assert/strict": () => builtin("assert").strict,
    async_hooks: () => {
      const hooks = builtin("async_hooks");
      timers.loop.ticks.keepPlace = (callback) => hooks.AsyncResource.bind(callback);
      return hooks;
    },
    buffer: () => builtin("buffer"),
    child_process: run.childProcess,
    console: () => run.console,
    constants: () => run.fs().fs.constants,
    crypto: () => platform().withNodeCrypto(builtin("crypto")),
    diagnostics_channel: () => builtin("diagnostics_channel"),
    dns,
    "dns/promises": dns,
    events: () => builtin("events"),
    fs: () => run.fs().fs,
    "fs/promises": () => run.fs().promises,
    http: () => unavailable("http", run.http("http:")),
    https: () => unavailable("https", run.http("https:")),
    module: () => run.module,
    net: () => unavailable("net", platform().net),
    os: () => platform().makeOs(),
    path: paths,
    "path/posix": paths,
    "path/win32": () => builtin("path").win32,
    perf_hooks: () => unavailable("perf_hooks", platform().perfHooks()),
    process: () => run.process,
    punycode: () => platform().makePunycode(builtin("url")),
    querystring: () => builtin("querystring"),
    readline: () => run.readline().readline,
    "readline/promises": () => run.readline().promises,
    stream: () => builtin("stream"),
    "stream/consumers": () => builtin("stream/consumers"),
    "stream/promises": () => builtin("stream/promises"),
    "stream/web": () => builtin("stream/web"),
    string_decoder: () => builtin("string_decoder"),
    sys: utils,
    timers: () => ({
      setTimeout: timers.setTimeout,
      setInterval: timers.setInterval,
      setImmediate: timers.setImmediate,
      clearTimeout: timers.clear,
      clearInterval: timers.clear,
      clearImmediate: timers.clear,
      promises: timers.promises,
    }),
    "timers/promises": () => timers.promises,
    tls: () => unavailable("tls"),
    tty: () => ({ isatty: () => false, ReadStream: class {}, WriteStream: class {} }),
    url: () => ({ ...builtin("url"), URL, URLSearchParams }),
    util: utils,
    "util/types": () => builtin("util").types,
    v8: () => unavailable("v8", platform().v8),
    vm: () => unavailable("vm"),
    worker_threads: () =>
      unavailable("worker_threads", {
        isMainThread: true,
        parentPort: null,
        workerData: null,
        threadId: 0,
        // Packages mark things when they are loaded; nothing is ever sent to another thread.
        markAsUncloneable: () => undefined,
        markAsUntransferable: () => undefined,
      }),
    zlib: () => platform().withZlibCodes(builtin("zlib")),
    ...Object.fromEntries([...NODE_ABSENT].map((name) => [name, () => unavailable(name)])),
    test: () => callable("test"),
    cluster: () => unavailable("cluster", platform().cluster),
  });
}

const SYSTEM_ERRORS = {
  getSystemErrorMap: () => platform().getSystemErrorMap(),
  getSystemErrorName: (number: number) => platform().getSystemErrorName(number),
  getSystemErrorMessage: (number: number) => platform().getSystemErrorMessage(number),
};

/** Silent, as where `NODE_DEBUG` is not set; the platform's would print. */
function debuglog(): object {
  return Object.assign(() => undefined, { enabled: false });
}

/** A module that can be called itself, as scripts call what `node:test` exports by default. */
function callable(name: string): object {
  const refuse = () => {
    throw absent(name);
  };
  Reflect.deleteProperty(refuse, "name");
  Reflect.deleteProperty(refuse, "length");
  return Object.setPrototypeOf(refuse, Object.getPrototypeOf(unavailable(name)));
}

function absent(what: string): Error {
  const error = new Error(`${what} is not available in the sandbox`);
  return Object.assign(error, { code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" });
}

/** A module whose parts exist until they are called; `own` are those that are there. The others are inherited, as compiled imports take them. */
function unavailable(name: string, own: object = {}): object {
  const get = (_target: object, key: string | symbol) => {
    if (typeof key === "symbol" || key === "then" || key === "__esModule") {
      return undefined;
    }
    // No arrow function: many of them are called with `new`.
    function refuse(): never {
      throw absent(`${name}.${String(key)}`);
    }
    return refuse;
  };
  return Object.assign(Object.create(new Proxy({}, { get })), own);
}

const texts = (parts: readonly string[]) => parts.map((part, i) => text(`paths[${i}]`, part));

function text(name: string, value: string): string {
  if (typeof value !== "string") {
    throw wrongType(name, "of type string", value);
  }
  return value;
}

/** `path` with the script's own working directory. */
function makePath(process: { cwd(): string }) {
  const path = builtin("path");
  const resolve = (...parts: string[]) =>
    texts(parts).reduce((base, part) => (part === "" ? base : resolvePath(base, part)), process.cwd());
  const own = {
    ...path.posix,
    resolve,
    relative: (from: string, to: string) => {
      const [a, b] = [text("from", from), text("to", to)];
      return path.posix.relative(resolve(a), resolve(b));
    },
    matchesGlob: (name: string, pattern: string) => loadRunFiles().matchesGlob(name, pattern),
  };
  return Object.assign(own, { posix: own, win32: path.win32 });
}
