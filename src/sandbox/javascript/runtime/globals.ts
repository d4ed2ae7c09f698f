/** Owns the globals a script finds: in an isolate of its own, or in one where each of several runs finds its own; never what they do. */
import { builtin } from "./builtins.ts";
import type { Loop } from "./loop.ts";
import { NODE_VERSION } from "./process.ts";
import type { Timers } from "./timers.ts";

// The script may replace it before its end.
const { getOwnPropertyDescriptor } = Reflect;

/** What one run's globals are made of. */
export interface RunGlobals {
  readonly process: object;
  readonly console: object;
  readonly fetch: unknown;
  readonly timers: Timers;
  readonly loop: Loop;
  /** Told of a promise that was rejected and nobody listens to. */
  readonly onRejection: (reason: unknown, promise: Promise<unknown>) => void;
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
  "WorkerGlobalScope",
  "ServiceWorkerGlobalScope",
];

const SUBTLE = [
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
];

/**
 * Starts a script with its globals.
 * @returns ends that: what the script left running finds the globals of no run
 */
export function withGlobals(isolate: "own" | "shared", run: RunGlobals, start: () => void): () => void {
  if (isolate === "own") {
    prepare(() => run);
    for (const [name, value] of valuesOf(run)) {
      define(name, { value, writable: true });
    }
    start();
    return () => undefined;
  }
  shared ??= new SharedGlobals();
  return shared.start(run, start);
}

let shared: SharedGlobals | null = null;

/** Whether a later run of the isolate can be given globals of its own: a script may have defined one for good. */
export function stateOfGlobals(): "whole" | "damaged" {
  return shared?.state ?? "whole";
}

interface Member {
  readonly run: RunGlobals;
  readonly values: Map<string, unknown>;
}

/** The globals of an isolate with several runs: looking at one gives that of the run whose code looks. */
class SharedGlobals {
  readonly #members = new Set<Member>();
  #names: readonly string[] | null = null;
  readonly #member: () => Member | undefined;
  readonly #enter: (member: Member, start: () => void) => void;

  constructor() {
    const storage = new (builtin("async_hooks").AsyncLocalStorage)<Member>();
    const getStore = storage.getStore.bind(storage);
    const alone = () => (this.#members.size === 1 ? this.#members.values().next().value : undefined);
    // The platform itself calls some callbacks outside of any run.
    this.#member = () => getStore() ?? alone();
    this.#enter = storage.run.bind(storage);
    prepare(() => this.#member()?.run);
  }

  start(run: RunGlobals, start: () => void): () => void {
    const member = { run, values: new Map(valuesOf(run)) };
    this.#members.add(member);
    for (const name of member.values.keys()) {
      define(name, {
        get: () => this.#member()?.values.get(name),
        set: (value: unknown) => this.#member()?.values.set(name, value),
      });
    }
    this.#names ??= [...member.values.keys()];
    this.#enter(member, start);
    return () => this.#members.delete(member);
  }

  /** Called when a script may have changed anything: indexes only. */
  get state(): "whole" | "damaged" {
    const names = this.#names ?? [];
    for (let i = 0; i < names.length; i++) {
      if (getOwnPropertyDescriptor(globalThis, names[i] as string)?.configurable === false) {
        return "damaged";
      }
    }
    return "whole";
  }
}

function valuesOf({ process, console, fetch, timers }: RunGlobals): [string, unknown][] {
  return Object.entries({
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
  });
}

function define(name: string, descriptor: PropertyDescriptor): void {
  // Gone first: the platform makes its own `process` as soon as that is defined anew in place.
  Reflect.deleteProperty(globalThis, name);
  Object.defineProperty(globalThis, name, { ...descriptor, configurable: true, enumerable: false });
}

/** What an isolate needs once. */
function prepare(current: () => RunGlobals | undefined): void {
  for (const name of TAKEN_AWAY) {
    Reflect.deleteProperty(globalThis, name);
    if (name in globalThis) {
      Object.defineProperty(globalThis, name, { value: undefined, writable: true, configurable: true });
    }
  }
  const url = URL;
  const coded = new Proxy(url, { construct: constructUrl });
  Object.defineProperty(url.prototype, "constructor", { value: coded });
  Object.defineProperty(globalThis, "URL", { value: coded });
  const subtle = crypto.subtle as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of SUBTLE) {
    const native = subtle[name]?.bind(crypto.subtle);
    if (native !== undefined) {
      const value = (...args: unknown[]) => {
        const run = current();
        return run === undefined ? native(...args) : run.loop.track(native(...args));
      };
      Object.defineProperty(crypto.subtle, name, { value, configurable: true });
    }
  }
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    current()?.onRejection(event.reason, event.promise);
  });
}

/** The error that Node.js throws for what is no URL. */
function constructUrl(url: typeof URL, args: unknown[], self: new (...args: never[]) => unknown): object {
  try {
    return Reflect.construct(url, args, self);
  } catch (error) {
    const [input, base] = args;
    if (input === undefined) {
      throw error;
    }
    const facts = {
      code: "ERR_INVALID_URL",
      input: String(input),
      ...(base === undefined ? {} : { base: String(base) }),
    };
    throw Object.assign(new TypeError("Invalid URL"), facts);
  }
}
