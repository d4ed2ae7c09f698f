/**
 * Owns the order of a script's parts: what is called from outside runs as a job among its promises, and what `process.nextTick` puts off
 * comes before or after those as in Node.js; never when something is called.
 */

const { queueMicrotask: nativeQueueMicrotask, Response: NativeResponse } = globalThis;
const { apply } = Reflect;
const { text } = NativeResponse.prototype;

/** Settles as soon as no promise can go on: the next turn of a timer is a millisecond away, that of the platform itself is not. */
export function afterPromises(): Promise<unknown> {
  return apply(text, new NativeResponse(""), []);
}

/** The ticks of one script. */
export class Ticks {
  readonly #queue: (() => void)[] = [];
  #phase: "task" | "promises" = "promises";
  #comes = false;
  /** Gives a callback the place it was made at, for scripts that can tell. */
  keepPlace: (callback: () => void) => () => void = (callback) => callback;

  /**
   * Runs a part of the script, its ticks, and only then what promises do. All of it is one job: loading a module of the platform, which
   * the part may do at any time, would otherwise let the jobs run that wait.
   * @param run never throws
   * @param begins what a module does comes after its promises, and begins no task
   */
  task(run: () => void, begins: "task" | "promises" = "task"): void {
    nativeQueueMicrotask(() => {
      this.#phase = begins;
      run();
      if (this.#phase === "task") {
        this.#drain();
      }
    });
  }

  /** What runs now is a task after all. */
  begin(): void {
    this.#phase = "task";
  }

  /** @param tick never throws */
  add(tick: () => void): void {
    this.#queue.push(this.keepPlace(tick));
    if (this.#phase === "promises" && !this.#comes) {
      this.#comes = true;
      void this.#later();
    }
  }

  async #later(): Promise<void> {
    await afterPromises();
    this.#comes = false;
    this.#drain();
  }

  #drain(): void {
    this.#phase = "task";
    for (let tick = this.#queue.shift(); tick !== undefined; tick = this.#queue.shift()) {
      tick();
    }
    this.#phase = "promises";
  }
}
