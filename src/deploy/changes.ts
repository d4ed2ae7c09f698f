/** Owns waiting for something to change, though not for long. Never knows what. */

/** Wakes those who wait. */
export class Changes {
  #waiting: (() => void)[] = [];

  /** Settles with the next {@link ring}, or once `ms` milliseconds have passed. */
  next(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  ring(): void {
    for (const go of this.#waiting.splice(0)) {
      go();
    }
  }
}
