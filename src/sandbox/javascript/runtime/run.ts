/** Owns one run of a compiled script: its globals, its modules, how it ends; never the isolate's loading or the answer's form. */

import type { RunLimits } from "../../../model/run.ts";
import type { Vfs } from "../../files/vfs.ts";
import { makeChildProcess, type Spawn } from "./child-process.ts";
import { makeConsole } from "./console.ts";
import { Descriptors, type Standard } from "./descriptors.ts";
import { mapStacks, uncaught } from "./errors.ts";
import { makeFs } from "./fs.ts";
import { makeFsSync } from "./fs-sync.ts";
import { makeHttp } from "./http.ts";
import { makeImports, type Script } from "./imports.ts";
import { type Ending, Exit, Loop } from "./loop.ts";
import { makeModules } from "./modules.ts";
import { makeFetch, type NetworkFetch } from "./network.ts";
import { makeProcess, NODE_VERSION, WorkingDirectory } from "./process.ts";
import { makeReadline } from "./readline.ts";
import { Timers } from "./timers.ts";

export interface ScriptRun {
  readonly script: Script;
  /** Absolute. */
  readonly path: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: RunLimits;
  /** When the wall clock ends it, milliseconds since 1970. */
  readonly deadline: number;
  readonly files: Vfs;
  readonly standard: Standard;
  readonly network: NetworkFetch;
  readonly spawn: Spawn;
}

/** Starts a script; `onEnd` is called when it has ended. Changes the isolate's globals: an isolate runs one script only. */
export function runScript(run: ScriptRun, onEnd: (ending: Ending) => void): void {
  const loop = new Loop(run.limits, run.deadline, onEnd);
  const encoder = new TextEncoder();
  const encode = encoder.encode.bind(encoder);
  // After its end a script that catches what ends it may go on for a while, but nobody hears it any more.
  const standard: Standard = {
    stdin: run.standard.stdin,
    stdout: (bytes) => loop.over || run.standard.stdout(bytes),
    stderr: (bytes) => loop.over || run.standard.stderr(bytes),
  };
  mapStacks(run.script.lines);
  const sourceLine = (file: string, line: number) => {
    const node = run.files.peek(file);
    const text = node?.kind === "file" ? new TextDecoder().decode(node.data.subarray(0, node.size)) : "";
    return text.split("\n")[line - 1] ?? null;
  };
  let fail = (error: unknown): void => {
    if (!loop.over && !(error instanceof Exit)) {
      standard.stderr(encode(uncaught(error, sourceLine)));
      loop.end({ status: 1, limit: null });
    }
  };
  const guard = (callback: () => unknown): void => {
    try {
      callback();
    } catch (error) {
      fail(error);
    }
  };
  const timers = new Timers(loop, guard);
  const directory = new WorkingDirectory(run.cwd);
  const process = makeProcess(
    {
      argv: [run.path, ...run.argv],
      env: run.env,
      cwd: run.cwd,
      files: run.files,
      standard,
      loop,
      guard,
    },
    directory,
  );
  const print = fail;
  fail = (error) => {
    if (!loop.over && !(error instanceof Exit) && process.listenerCount("uncaughtException") > 0) {
      guard(() => process.emit("uncaughtException", error, "uncaughtException"));
      return;
    }
    print(error);
  };
  const console = makeConsole(
    (text) => standard.stdout(encode(text)),
    (text) => standard.stderr(encode(text)),
  );
  const descriptors = new Descriptors(run.files.store, standard);
  const sync = makeFsSync({ files: run.files, descriptors, cwd: () => directory.path });
  const { fs, promises: fsPromises } = makeFs(sync, descriptors, loop, timers);
  const { readline, promises: readlinePromises } = makeReadline(loop);
  const fetch = makeFetch(run.network, loop);
  const imports = makeImports(run.path, () => modules, sync);
  const modules = makeModules({
    process,
    console,
    fs,
    fsPromises,
    readline,
    readlinePromises,
    childProcess: makeChildProcess(run.spawn, loop, process),
    http: makeHttp(fetch, "http:"),
    https: makeHttp(fetch, "https:"),
    module: imports.module,
    timers,
  });
  installGlobals({ process, console, fetch, timers, loop });
  listen(fail, process, loop);
  void main(run.script, imports.es, loop, fail);
}

async function main(script: Script, es: object, loop: Loop, fail: (error: unknown) => void): Promise<void> {
  try {
    await script(es, loop.tick, undefined, undefined, undefined);
  } catch (error) {
    fail(error);
  }
  loop.mainDone();
}

interface Globals {
  readonly process: object;
  readonly console: object;
  readonly fetch: unknown;
  readonly timers: Timers;
  readonly loop: Loop;
}

/** Globals of the platform that Node.js does not have, or that would lead around the sandbox's own. */
const TAKEN_AWAY = [
  "caches",
  "WebSocket",
  "WebSocketPair",
  "EventSource",
  "HTMLRewriter",
  "scheduler",
  "origin",
  "self",
];

function installGlobals({ process, console, fetch, timers, loop }: Globals): void {
  const values = {
    process,
    console,
    fetch,
    global: globalThis,
    navigator: {
      userAgent: `Node.js/${NODE_VERSION.split(".")[0]}`,
      hardwareConcurrency: 1,
      language: "en-US",
      languages: ["en-US"],
      platform: "linux",
    },
    setTimeout: timers.setTimeout,
    setInterval: timers.setInterval,
    setImmediate: timers.setImmediate,
    clearTimeout: timers.clear,
    clearInterval: timers.clear,
    clearImmediate: timers.clear,
    queueMicrotask: timers.queueMicrotask,
  };
  for (const name of TAKEN_AWAY) {
    Reflect.deleteProperty(globalThis, name);
    if (name in globalThis) {
      Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
    }
  }
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
  const subtle = crypto.subtle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of [
    "digest",
    "encrypt",
    "decrypt",
    "sign",
    "verify",
    "deriveKey",
    "deriveBits",
    "generateKey",
    "importKey",
    "exportKey",
    "wrapKey",
    "unwrapKey",
  ]) {
    const native = subtle[name]?.bind(crypto.subtle);
    if (native !== undefined) {
      Object.defineProperty(crypto.subtle, name, {
        value: (...args: unknown[]) => loop.track(native(...args)),
        configurable: true,
      });
    }
  }
}

interface Listening {
  listenerCount(event: string): number;
  emit(event: string, ...args: unknown[]): boolean;
}

function listen(fail: (error: unknown) => void, process: Listening, loop: Loop): void {
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    if (loop.over || event.reason instanceof Exit) {
      return;
    }
    if (process.listenerCount("unhandledRejection") > 0) {
      process.emit("unhandledRejection", event.reason, event.promise);
    } else {
      fail(event.reason);
    }
  });
}
