/** Owns how far long work is, in words: a bar that is drawn over itself on a terminal, now and then a line elsewhere. Never writes. */

/** How far something is. */
export interface Progress {
  /** What is done: `uploading`. */
  readonly what: string;
  readonly done: number;
  /** Null when nobody knows yet. */
  readonly total: number | null;
}

const BAR_WIDTH = 24;
const EVERY_MS = 5_000;

/** One line: `uploading ━━━━━━━━──────── 320/1000`. */
export function progressBar({ what, done, total }: Progress): string {
  if (total === null) {
    return `${what} ${done}`;
  }
  const full = total === 0 ? BAR_WIDTH : Math.round((BAR_WIDTH * Math.min(done, total)) / total);
  return `${what} ${"━".repeat(full)}${"─".repeat(BAR_WIDTH - full)} ${done}/${total}`;
}

/** Where lines stay, as in the log of a build: none for short work, then one every few seconds. */
export class ProgressLines {
  readonly #now: () => number;
  #what: string | null = null;
  #due = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The line to write now, if one is due. */
  next({ what, done, total }: Progress): string | null {
    const now = this.#now();
    if (what !== this.#what) {
      this.#what = what;
      this.#due = now + EVERY_MS;
    }
    if (now < this.#due) {
      return null;
    }
    this.#due = now + EVERY_MS;
    return total === null ? `${what}: ${done}` : `${what}: ${done} of ${total}`;
  }
}
