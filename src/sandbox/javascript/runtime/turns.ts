/** Owns giving others their turn while a script only goes from one promise to the next; never when a script is over. */

const { setTimeout: nativeSetTimeout, Promise: NativePromise } = globalThis;
const { apply } = Reflect;
const { then } = NativePromise.prototype;
const now = Date.now;

/** How long promises go on among themselves. Where the clock stands still while a script computes nobody waits for it either. */
const TURN_MS = 50;
/** What is awaited between two looks at the clock. */
const AWAITS_PER_LOOK = 64;

const ignore = () => undefined;

/** The turns of one script. */
export class Turns {
  readonly #hold: () => () => void;
  #began = now();
  #untilLook = AWAITS_PER_LOOK;
  #next: Promise<void> | null = null;

  /** @param hold keeps the script alive until what it gives is called */
  constructor(hold: () => () => void) {
    this.#hold = hold;
  }

  /** Whether others have their turn just now. The script's own timers wait: in Node.js they come after all promises that can go on. */
  get areGiven(): boolean {
    return this.#next !== null;
  }

  /** What a script awaits, now and then only after others have had their turn. */
  readonly awaited = (value: unknown): unknown =>
    this.#next === null && (--this.#untilLook > 0 || !this.#isOver()) ? value : this.#later(value);

  #isOver(): boolean {
    this.#untilLook = AWAITS_PER_LOOK;
    return now() - this.#began >= TURN_MS;
  }

  #later(value: unknown): Promise<unknown> {
    if (value instanceof NativePromise) {
      // Somebody does wait for it.
      apply(then, value, [ignore, ignore]);
    }
    const next = this.#next ?? this.#give();
    this.#next = next;
    return new NativePromise((resolve) => apply(then, next, [() => resolve(value)]));
  }

  #give(): Promise<void> {
    const release = this.#hold();
    return new NativePromise((resolve) => {
      nativeSetTimeout(() => {
        this.#next = null;
        this.#began = now();
        resolve();
        release();
      }, 0);
    });
  }
}
