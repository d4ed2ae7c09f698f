/** Cloudflare's limit of its REST API: 1,200 requests per 5 minutes and token; whoever exceeds it is blocked for the next 5 minutes. */

const REQUESTS = 1_200;
const WINDOW_MS = 5 * 60_000;

/** Counts on a clock of its own. */
export class RateLimit {
  readonly #now: () => number;
  #begun = 0;
  #count = 0;
  #blockedUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes one request in; else the seconds to wait, as `Retry-After` has them. */
  take(): number | null {
    const now = this.#now();
    if (now < this.#blockedUntil) {
      return Math.ceil((this.#blockedUntil - now) / 1000);
    }
    if (now - this.#begun >= WINDOW_MS || this.#blockedUntil > this.#begun) {
      this.clear();
    }
    this.#count++;
    if (this.#count > REQUESTS) {
      this.#blockedUntil = now + WINDOW_MS;
      return WINDOW_MS / 1000;
    }
    return null;
  }

  /** Begins a new window. */
  clear(): void {
    this.#begun = this.#now();
    this.#count = 0;
    this.#blockedUntil = 0;
  }
}
