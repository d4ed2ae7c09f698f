/** Owns one call that several callers wait for, each free to leave. For runtimes where a promise may be awaited by anyone; Workers are none. */

/** A call under way. It is aborted when the last one who waits for it has left, and forgotten when it has ended. */
export class SharedCall<Value> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Value>;
  readonly #end: () => unknown;
  #waiting = 0;

  constructor(call: (signal: AbortSignal) => Promise<Value>, end: () => unknown) {
    this.#end = end;
    this.#result = call(this.#controller.signal).finally(() => end());
    // Whoever waits is told; that nobody does is no unhandled rejection.
    this.#result.catch(() => undefined);
  }

  /** Waits for it, until the caller's signal says to leave. */
  async join(signal: AbortSignal | null): Promise<Value> {
    this.#waiting++;
    let leave: (() => void) | undefined;
    try {
      signal?.throwIfAborted();
      const left = new Promise<never>((_, reject) => {
        leave = () => reject(signal?.reason);
        signal?.addEventListener("abort", leave);
      });
      return await Promise.race([this.#result, left]);
    } finally {
      if (leave !== undefined) {
        signal?.removeEventListener("abort", leave);
      }
      this.#waiting--;
      if (this.#waiting === 0 && signal?.aborted) {
        // Nobody who comes now joins a call that is about to fail.
        this.#end();
        this.#controller.abort(signal.reason);
      }
    }
  }
}
