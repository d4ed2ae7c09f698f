/** Owns when a Python process gets SIGALRM (`signal.alarm`, `signal.setitimer`); never what it does then. */

const SIGALRM = 14;

export class Alarm {
  #at = Number.POSITIVE_INFINITY;
  #every = 0;

  /** @param ms until the first; 0 for none */
  set(ms: number, every: number): void {
    this.#at = ms > 0 ? Date.now() + ms : Number.POSITIVE_INFINITY;
    this.#every = every;
  }

  /** The signal that is due, once; 0 where none is. */
  signal(): number {
    const now = Date.now();
    if (now < this.#at) {
      return 0;
    }
    this.#at = this.#every > 0 ? now + this.#every : Number.POSITIVE_INFINITY;
    return SIGALRM;
  }
}
