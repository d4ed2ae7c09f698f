/** Owns the code of the child isolates as the loader takes it; never when one is started. */
import box from "./generated/box.txt";
import javascript from "./generated/javascript.txt";
import python from "./generated/python.wasm";
import sqlite from "./generated/sqlite.wasm";
import version from "./generated/version.txt";
import { partsFor } from "./javascript-parts.ts";

/** What the loader is given to make a child of (the part this project uses). */
export interface WorkerCode {
  readonly compatibilityDate: string;
  readonly compatibilityFlags?: readonly string[];
  readonly mainModule: string;
  readonly modules: Readonly<Record<string, unknown>>;
  readonly env: Record<string, never>;
  /** No network: what a run may reach comes to it by RPC. */
  readonly globalOutbound: null;
}

export interface LoadedChild extends Partial<Disposable> {
  getEntrypoint(name?: string, options?: { readonly limits?: { readonly cpuMs?: number } }): object;
}

/** The `worker_loaders` binding (the part this project uses). */
export interface Loader {
  get(id: string, code: () => WorkerCode): LoadedChild;
  load(code: WorkerCode): LoadedChild;
}

const COMPATIBILITY_DATE = "2026-11-01";

/** Names all that is in the child that runs Python and shell. */
export function boxVersion(): string {
  return `${COMPATIBILITY_DATE} ${version}`;
}

/** Modules of the child that runs Python and shell, as scripts/build-sandbox.ts makes them. */
let boxParts: Readonly<Record<string, string>> | null = null;

/** The child that runs Python and shell. */
export function boxCode(): WorkerCode {
  boxParts ??= JSON.parse(box) as Readonly<Record<string, string>>;
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    mainModule: "box.js",
    modules: { ...boxParts, "python.wasm": { wasm: python }, "sqlite.wasm": { wasm: sqlite } },
    env: {},
    globalOutbound: null,
  };
}

interface JavaScriptParts {
  /** Names all of `modules`. */
  readonly version: string;
  readonly modules: Readonly<Record<string, unknown>>;
}

/** As scripts/build-sandbox.ts makes them. */
let parts: JavaScriptParts | null = null;

function javascriptParts(): JavaScriptParts {
  parts ??= JSON.parse(javascript) as JavaScriptParts;
  return parts;
}

/**
 * The platform's own timers in Node.js's form take each start of an isolate two milliseconds, and no script sees them: the runtime has its
 * own (javascript/runtime/timers.ts).
 */
const JAVASCRIPT_FLAGS = ["no_nodejs_global_timers"];

/** Names all that JavaScript children have in common. */
export function javascriptVersion(): string {
  return `${COMPATIBILITY_DATE} ${JAVASCRIPT_FLAGS} ${javascriptParts().version}`;
}

/** The child that runs one script. */
export function javascriptCode(compiled: string): WorkerCode {
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: JAVASCRIPT_FLAGS,
    mainModule: "runtime.js",
    modules: { ...partsFor(compiled, javascriptParts().modules), "script.js": { cjs: compiled } },
    env: {},
    globalOutbound: null,
  };
}
