/** Owns when a script is over: what it still waits for, its exit status, its budget; never what it does. */
import type { RunLimitName, RunLimits } from "../../../model/run.ts";
import { afterPromises, Ticks } from "./ticks.ts";
import { Turns } from "./turns.ts";

/** Thrown to unwind a script that called `process.exit` or was stopped. */
export class Exit {
  readonly status: number | null;

  constructor(status: number | null) {
    this.status = status;
  }
}

/** How a script ended. */
export interface Ending {
  /** Null when it was stopped. */
  readonly status: number | null;
  readonly limit: RunLimitName | null;
}

const {
  setTimeout: nativeSetTimeout,
  clearTimeout: nativeClearTimeout,
  queueMicrotask: nativeQueueMicrotask,
} = globalThis;
const now = Date.now;

/** Ticks between two looks at the clock: at first, at most, and after those that took {@link LONG_MS} together. */
const FIRST_LOOK = 64;
const MOST_TICKS_PER_LOOK = 512;
const LONG_MS = 20;
/** Ticks one millisecond of CPU is worth when the clock stands still while a script computes: no empty loop is faster. The platform counts what takes longer. */
const TICKS_PER_MS = 1_500_000;
/** Turns of the event loop without anything to wait for after which a script is over that waited for something before. */
const IDLE_TURNS = 3;
/** The event loop of one script. */
export class Loop {
  readonly #deadline: number;
  readonly #mostTicks: number;
  #ticksPerLook = FIRST_LOOK;
  #fuel = FIRST_LOOK;
  #ticks = 0;
  #lookedAt = now();
  #waiting = 0;
  /** A script that never waits is over when its promises are: before the next turn. */
  #hasWaited = false;
  readonly #wall: ReturnType<typeof setTimeout>;
  #main: "running" | "done" = "running";
  #ended: Ending | null = null;
  #idleTurns = 0;
  #checking = false;
  readonly #onEnd: (ending: Ending) => void;
  /** Whether the script may be waiting for something that the loop is not told of, such as a stream of the platform. */
  mayWaitUnseen: () => boolean = () => true;
  /** Called when nothing is left to do; may start something new. */
  onIdle: () => void = () => undefined;
  /** The status to end with, as `process.exitCode` says. */
  exitStatus: () => number = () => 0;
  /** Called when the script awaits what can never come; gives the status. */
  unsettled: () => number = () => 0;
  readonly startedAt = now();
  readonly turns = new Turns(() => this.hold());
  readonly ticks = new Ticks();

  /** @param onEnd called once, with nothing of the script on the stack */
  constructor(limits: RunLimits, deadline: number, onEnd: (ending: Ending) => void) {
    this.#deadline = deadline;
    this.#mostTicks = limits.cpu_ms * TICKS_PER_MS;
    this.#onEnd = onEnd;
    this.#wall = nativeSetTimeout(
      () => this.end({ status: null, limit: "wall" }),
      deadline > this.startedAt ? deadline - this.startedAt : 0,
    );
  }

  get over(): boolean {
    return this.#ended !== null;
  }

  /** Counts a step of a script's loop or function; throws once the script has to end. */
  readonly tick = (): void => {
    if (--this.#fuel < 0) {
      this.#look();
    }
  };

  /** Something the script waits for begins; call what it gives when that has come. */
  hold(): () => void {
    this.#waiting++;
    this.#hasWaited = true;
    let held = true;
    return () => {
      if (held) {
        held = false;
        this.#waiting--;
        this.check();
      }
    };
  }

  /** Keeps the script alive until a promise has settled. */
  track<T>(promise: Promise<T>): Promise<T> {
    const release = this.hold();
    return (async () => {
      try {
        return await promise;
      } finally {
        release();
      }
    })();
  }

  /** Runs the script. One that never waits is over as soon as no promise of it can go on, whether it has come to its end or not. */
  async runMain(script: () => Promise<void>): Promise<void> {
    const done = script();
    if (!this.#hasWaited && !this.mayWaitUnseen()) {
      void this.#endWhenDrained();
    }
    await done;
    this.#main = "done";
    this.check();
  }

  /** Ends the script; the first ending counts. From now on every tick throws. */
  end(ending: Ending): void {
    if (this.#ended === null) {
      this.#ended = ending;
      this.#fuel = 0;
      nativeClearTimeout(this.#wall);
      nativeQueueMicrotask(() => this.#onEnd(ending));
    }
  }

  throwIfOver(): void {
    if (this.#ended !== null) {
      throw new Exit(this.#ended.status);
    }
  }

  /** Looks whether the script is over, a few turns later: what native promises do needs a turn or two. */
  check(): void {
    this.#idleTurns = 0;
    if (!this.#checking && this.#ended === null) {
      this.#checking = true;
      nativeSetTimeout(this.#turn, 0);
    }
  }

  readonly #turn = (): void => {
    if (this.#waiting > 0 || this.#ended !== null) {
      this.#checking = false;
      return;
    }
    if (++this.#idleTurns < (this.#hasWaited ? IDLE_TURNS : 1)) {
      nativeSetTimeout(this.#turn, 0);
      return;
    }
    this.#checking = false;
    this.#endIfIdle();
  };

  #endIfIdle(): void {
    const isDone = this.#main === "done";
    this.onIdle();
    if (this.#waiting === 0) {
      this.end({ status: isDone ? this.exitStatus() : this.unsettled(), limit: null });
    }
  }

  async #endWhenDrained(): Promise<void> {
    await afterPromises();
    if (!this.#hasWaited && this.#ended === null) {
      this.#endIfIdle();
    }
  }

  #look(): void {
    const time = now();
    this.#ticks += this.#ticksPerLook;
    this.#ticksPerLook =
      time - this.#lookedAt >= LONG_MS
        ? 1
        : this.#ticksPerLook < MOST_TICKS_PER_LOOK
          ? 2 * this.#ticksPerLook
          : MOST_TICKS_PER_LOOK;
    this.#fuel = this.#ticksPerLook;
    this.#lookedAt = time;
    if (time >= this.#deadline) {
      this.end({ status: null, limit: "wall" });
    } else if (this.#ticks > this.#mostTicks) {
      this.end({ status: null, limit: "cpu" });
    }
    if (this.#ended !== null) {
      this.#fuel = 0;
      throw new Exit(this.#ended.status);
    }
  }
}

export { nativeClearTimeout, nativeSetTimeout };
