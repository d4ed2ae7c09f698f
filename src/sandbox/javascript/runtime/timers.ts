/** Owns the timers a script sees: they keep it alive as in Node.js, and their errors are the script's own; never its clock. */
import { abortError } from "./aborted.ts";
import { type Loop, nativeClearTimeout, nativeSetTimeout } from "./loop.ts";
import { wrongType } from "./received.ts";

type Callback = (...args: unknown[]) => void;

const LONGEST = 2 ** 31 - 1;
let nextId = 1;
/** What `util.promisify` makes of a function. */
const PROMISIFY = Symbol.for("nodejs.util.promisify.custom");

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
    const native = this.#native;
    this.#loop.ticks.task(() => this.#native === native && this.#call());
  }

  #call(): void {
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
    Object.defineProperty(this.setTimeout, PROMISIFY, { value: this.promises.setTimeout });
    Object.defineProperty(this.setImmediate, PROMISIFY, { value: this.promises.setImmediate });
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
    callable(callback);
    const release = this.loop.hold();
    void (async () => {
      await this.loop.turns.awaited(undefined);
      this.guard(callback);
      release();
    })();
  };

  /** `timers/promises` */
  readonly promises = {
    setTimeout: (delay?: number, value?: unknown, options?: PromiseOptions) =>
      this.#promised((done) => this.setTimeout(done, delay), value, options),
    setImmediate: (value?: unknown, options?: PromiseOptions) =>
      this.#promised((done) => this.setImmediate(done), value, options),
    setInterval: (delay?: number, value?: unknown, options?: PromiseOptions) => this.#every(delay, value, options),
    scheduler: {
      wait: (delay: number, options?: PromiseOptions) =>
        this.#promised((done) => this.setTimeout(done, delay), undefined, options),
      yield: () => this.#promised((done) => this.setImmediate(done), undefined, undefined),
    },
  };

  #promised(start: (done: () => void) => Timeout, value: unknown, options: PromiseOptions | undefined) {
    const signal = options?.signal;
    return new Promise<unknown>((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortError(signal));
        return;
      }
      const abort = () => {
        timer.close();
        reject(abortError(signal));
      };
      const timer = start(() => {
        signal?.removeEventListener("abort", abort);
        resolve(value);
      });
      if (options?.ref === false) {
        timer.unref();
      }
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  async *#every(delay: number | undefined, value: unknown, options: PromiseOptions | undefined) {
    for (;;) {
      yield await this.promises.setTimeout(delay, value, options);
    }
  }
}

interface PromiseOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

function callable(callback: unknown): Callback {
  if (typeof callback !== "function") {
    throw wrongType("callback", "of type function", callback);
  }
  return callback as Callback;
}
