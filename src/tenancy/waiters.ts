/** Owns waiting inside a Durable Object for something to change, no longer than asked. Lives and dies with the object; whoever waits asks again. */

/** Those who wait, by what for. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Wakes all who wait for a key. */
  wake(key: string): void {
    for (const resolve of this.#waiting.get(key) ?? []) {
      resolve();
    }
    this.#waiting.delete(key);
  }

  /** Reads again and again, each time somebody wakes it, until the value is `done` or the time is up. */
  async until<T>(key: string, ms: number, read: () => T, isDone: (value: T) => boolean): Promise<T> {
    const end = Date.now() + ms;
    for (;;) {
      const value = read();
      const left = end - Date.now();
      if (isDone(value) || left <= 0) {
        return value;
      }
      await this.#woken(key, left);
    }
  }

  #woken(key: string, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const timer = setTimeout(() => {
        waiting.delete(done);
        resolve();
      }, ms);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      waiting.add(done);
    });
  }
}
