/** Owns the timers a script sees: they keep it alive as in Node.js, and their errors are the script's own; never its clock. */
import { type Loop, nativeClearTimeout, nativeSetTimeout } from "./loop.ts";

type Callback = (...args: unknown[]) => void;

const LONGEST = 2 ** 31 - 1;
let nextId = 1;

/** What `setTimeout` gives. */
export class Timeout {
  readonly #loop: Loop;
  readonly #guard: Guard;
  readonly #known: Map<number, Timeout>;
  readonly #callback: Callback;
  readonly #args: unknown[];
  readonly #delay: number;
  readonly #repeat: boolean;
  readonly #id = nextId++;
  #native: ReturnType<typeof setTimeout> | undefined;
  #release: (() => void) | null = null;
  #referenced = true;
  #closed = false;

  constructor(timers: Timers, callback: Callback, delay: unknown, args: unknown[], kind: "once" | "again") {
    this.#loop = timers.loop;
    this.#guard = timers.guard;
    this.#callback = callback;
    this.#args = args;
    const ms = Number(delay);
    this.#delay = ms >= 1 && ms <= LONGEST ? ms : 1;
    this.#repeat = kind === "again";
    this.#known = timers.known;
    this.#start();
  }

  ref(): this {
    this.#referenced = true;
    if (this.#native !== undefined) {
      this.#release ??= this.#loop.hold();
    }
    return this;
  }

  unref(): this {
    this.#referenced = false;
    this.#release?.();
    this.#release = null;
    return this;
  }

  hasRef(): boolean {
    return this.#referenced;
  }

  refresh(): this {
    this.close();
    this.#start();
    return this;
  }

  close(): this {
    this.#closed = true;
    this.#known.delete(this.#id);
    nativeClearTimeout(this.#native);
    this.#native = undefined;
    this.#release?.();
    this.#release = null;
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #start(): void {
    this.#closed = false;
    this.#known.set(this.#id, this);
    this.#native = nativeSetTimeout(() => this.#fire(), this.#delay);
    if (this.#referenced) {
      this.#release ??= this.#loop.hold();
    }
  }

  #fire(): void {
    if (this.#loop.turns.areGiven) {
      this.#native = nativeSetTimeout(() => this.#fire(), 0);
      return;
    }
    const release = this.#release;
    this.#known.delete(this.#id);
    this.#native = undefined;
    this.#release = null;
    if (!this.#loop.over) {
      this.#guard(() => this.#callback(...this.#args));
      if (this.#repeat && !this.#closed) {
        this.#start();
      }
    }
    release?.();
  }
}

// Scripts that print a timer see its name, which the build shortens.
Object.defineProperty(Timeout, "name", { value: "Timeout" });

/** Runs a callback of the script; what it throws ends the script. */
export type Guard = (callback: () => unknown) => void;

/** The timer functions over one loop. */
export class Timers {
  readonly loop: Loop;
  readonly guard: Guard;
  readonly known = new Map<number, Timeout>();

  constructor(loop: Loop, guard: Guard) {
    this.loop = loop;
    this.guard = guard;
  }

  /** Stops all of them. */
  end(): void {
    for (const timer of this.known.values()) {
      timer.close();
    }
    this.known.clear();
  }

  readonly setTimeout = (callback: Callback, delay?: unknown, ...args: unknown[]) =>
    new Timeout(this, callable(callback), delay, args, "once");

  readonly setInterval = (callback: Callback, delay?: unknown, ...args: unknown[]) =>
    new Timeout(this, callable(callback), delay, args, "again");

  readonly setImmediate = (callback: Callback, ...args: unknown[]) =>
    new Timeout(this, callable(callback), 0, args, "once");

  readonly clear = (timer: unknown): void => {
    if (timer instanceof Timeout) {
      timer.close();
    } else if (timer !== undefined && timer !== null) {
      this.known.get(Number(timer))?.close();
    }
  };

  readonly queueMicrotask = (callback: Callback): void => {
    const release = this.loop.hold();
    callable(callback);
    void (async () => {
      await this.loop.turns.awaited(undefined);
      this.guard(callback);
      release();
    })();
  };

  /** `timers/promises` */
  readonly promises = {
    setTimeout: (delay?: number, value?: unknown, options?: { signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        const signal = options?.signal;
        const timer = this.setTimeout(() => resolve(value), delay);
        const abort = () => {
          timer.close();
          const error = new Error("The operation was aborted", { cause: signal?.reason });
          reject(Object.assign(error, { name: "AbortError", code: "ABORT_ERR" }));
        };
        if (signal?.aborted === true) {
          abort();
        }
        signal?.addEventListener("abort", abort);
      }),
    setImmediate: (value?: unknown) => new Promise((resolve) => this.setImmediate(() => resolve(value))),
    setInterval: (delay?: number, value?: unknown) => this.#ticks(delay, value),
    scheduler: {
      wait: (delay: number) => new Promise<void>((resolve) => this.setTimeout(() => resolve(), delay)),
      yield: () => new Promise<void>((resolve) => this.setImmediate(() => resolve())),
    },
  };

  async *#ticks(delay: number | undefined, value: unknown) {
    for (;;) {
      await new Promise<void>((resolve) => this.setTimeout(() => resolve(), delay));
      yield value;
    }
  }
}

function callable(callback: unknown): Callback {
  if (typeof callback !== "function") {
    const error = new TypeError(`The "callback" argument must be of type function. Received ${String(callback)}`);
    throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
  }
  return callback as Callback;
}
