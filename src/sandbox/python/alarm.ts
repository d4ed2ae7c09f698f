/** Owns when a Python process gets SIGALRM (`signal.alarm`, `signal.setitimer`); never what it does then. */

const SIGALRM = 14;

const NEVER = Number.POSITIVE_INFINITY;

export class Alarm {
  #at = NEVER;
  #every = 0;

  /** @param ms until the first; 0 for none */
  set(ms: number, every: number): void {
    this.#at = ms > 0 ? Date.now() + ms : NEVER;
    this.#every = every;
  }

  /** The signal that is due, once; 0 where none is. Asked every few bytecodes, so that it looks at the clock only when it has to. */
  signal(): number {
    if (this.#at === NEVER) {
      return 0;
    }
    const now = Date.now();
    if (now < this.#at) {
      return 0;
    }
    this.#at = this.#every > 0 ? now + this.#every : NEVER;
    return SIGALRM;
  }
}
