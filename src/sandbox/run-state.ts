/** Owns the budget of one run inside a child: deadline, processes, why it was stopped; never runs anything. */
import type { RunLimitName, RunLimits } from "../model/run.ts";
import { RunBudget } from "./run-budget.ts";

/** Thrown to unwind a run that hit a limit. Scripts cannot catch it for long: whatever they do next throws it again. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** How many CPU ticks one millisecond is worth when the clock stands still, as it does on the platform while a script computes. */
const TICKS_PER_MS = 2_500;
/** Ticks between two looks at the clock, at most; after steps that took {@link LONG_MS} together the next is looked at. */
const MOST_TICKS_PER_LOOK = 4;
const LONG_MS = 4;
/** How long a run computes before others get their turn, and in ticks where the clock stands still. */
const TURN_MS = 25;
const MOST_TICKS_PER_TURN = 500_000;

export class RunState {
  readonly limits: RunLimits;
  /** What the run's programs use up together. */
  readonly budget: RunBudget;
  readonly startedAt: number;
  readonly #deadline: number;
  readonly #aborter = new AbortController();
  #ticks = 0;
  /** Ticks from the last look to the next, and how many of them are left. */
  #ticksPerLook = 1;
  #untilLook = 1;
  #lookedAt = 0;
  #turnBegan = 0;
  #turnTicks = 0;
  #stopped: RunLimitName | null = null;
  #over = false;
  /** A limit that was hit without stopping the run. */
  #noted: RunLimitName | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param deadline when the wall clock ends, milliseconds since 1970 */
  constructor(limits: RunLimits, deadline: number, budget = new RunBudget()) {
    this.limits = limits;
    this.budget = budget;
    this.startedAt = Date.now();
    this.#turnBegan = this.startedAt;
    this.#lookedAt = this.startedAt;
    this.#deadline = deadline;
  }

  /** Starts the wall clock. */
  begin(): void {
    this.#timer = setTimeout(() => this.stop("wall"), Math.max(0, this.left));
  }

  /** The run is over: what it left running in the background ends with it. */
  end(): void {
    clearTimeout(this.#timer);
    this.#over = true;
    this.#aborter.abort(new Stopped("the run is over"));
  }

  /** Aborted when the run is stopped. */
  get signal(): AbortSignal {
    return this.#aborter.signal;
  }

  /** The limit that ended the run, or null while nothing did. */
  get stopped(): RunLimitName | null {
    return this.#stopped;
  }

  /** The limit to name in the answer. */
  get limit(): RunLimitName | null {
    return this.#stopped ?? this.#noted;
  }

  /** Milliseconds left on the wall clock. */
  get left(): number {
    return this.#deadline - Date.now();
  }

  note(limit: RunLimitName): void {
    this.#noted ??= limit;
  }

  /** Ends the run: every later tick throws. The first limit counts. */
  stop(limit: RunLimitName): void {
    if (this.#stopped === null) {
      this.#stopped = limit;
      this.#aborter.abort(new Stopped(`stopped: ${limit}`));
    }
  }

  throwIfStopped(): void {
    if (this.#stopped !== null || this.#over) {
      throw new Stopped(`stopped: ${this.#stopped ?? "the run is over"}`);
    }
  }

  /**
   * Called over and over by code that computes; throws once the run has to end. Gives a promise now and then: whoever can wait
   * should, so that timers and other runs get their turn.
   */
  tick(): Promise<void> | undefined {
    const now = this.step();
    return now === null ? undefined : this.#turnOver(now);
  }

  /** As {@link tick}, for code that comes by seldom: looks at the clock each time. */
  turn(): Promise<void> | undefined {
    this.#ticks++;
    return this.#turnOver(this.look());
  }

  /** As {@link tick}, for code that cannot wait. Gives the time when it looked at the clock. */
  step(): number | null {
    this.#ticks++;
    if (this.#stopped !== null) {
      this.throwIfStopped();
    }
    return --this.#untilLook > 0 ? null : this.look();
  }

  /** Looks at the clock, and gives the time; throws once the run has to end. */
  look(): number {
    const now = Date.now();
    this.#ticksPerLook = now - this.#lookedAt >= LONG_MS ? 1 : Math.min(2 * this.#ticksPerLook, MOST_TICKS_PER_LOOK);
    this.#untilLook = this.#ticksPerLook;
    this.#lookedAt = now;
    if (now >= this.#deadline) {
      this.stop("wall");
    } else if (this.#ticks > this.limits.cpu_ms * TICKS_PER_MS) {
      this.stop("cpu");
    }
    this.throwIfStopped();
    return now;
  }

  #turnOver(now: number): Promise<void> | undefined {
    return now - this.#turnBegan >= TURN_MS || this.#ticks - this.#turnTicks >= MOST_TICKS_PER_TURN
      ? this.#nextTurn()
      : undefined;
  }

  async #nextTurn(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#turnBegan = Date.now();
    this.#turnTicks = this.#ticks;
    this.throwIfStopped();
  }

  /** Counts one more process; false when there may be no more. */
  spawn(): boolean {
    if (this.budget.spawn(this.limits.processes)) {
      return true;
    }
    this.note("processes");
    return false;
  }
}
