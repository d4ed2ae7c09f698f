/** Owns the budget of one run inside a child: deadline, processes, why it was stopped; never runs anything. */
import type { RunLimitName, RunLimits } from "../model/run.ts";

/** Thrown to unwind a run that hit a limit. Scripts cannot catch it for long: whatever they do next throws it again. */
export class Stopped extends Error {
  override readonly name = "Stopped";
}

/** How many CPU ticks one millisecond is worth when the clock stands still, as it does on the platform while a script computes. */
const TICKS_PER_MS = 2_500;
/** Ticks between two looks at the clock. */
const TICKS_PER_LOOK = 64;

export class RunState {
  readonly limits: RunLimits;
  readonly startedAt: number;
  readonly #deadline: number;
  readonly #aborter = new AbortController();
  #ticks = 0;
  #processes = 0;
  #stopped: RunLimitName | null = null;
  /** A limit that was hit without stopping the run. */
  #noted: RunLimitName | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: RunLimits) {
    this.limits = limits;
    this.startedAt = Date.now();
    this.#deadline = this.startedAt + limits.timeout_ms;
  }

  /** Starts the wall clock. */
  begin(): void {
    this.#timer = setTimeout(() => this.stop("wall"), this.limits.timeout_ms);
  }

  end(): void {
    clearTimeout(this.#timer);
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
    if (this.#stopped !== null) {
      throw new Stopped(`stopped: ${this.#stopped}`);
    }
  }

  /** Called over and over by code that computes; throws once the run has to end. */
  tick(): void {
    this.#ticks++;
    if (this.#ticks % TICKS_PER_LOOK === 0 && Date.now() >= this.#deadline) {
      this.stop("wall");
    }
    if (this.#ticks > this.limits.cpu_ms * TICKS_PER_MS) {
      this.stop("cpu");
    }
    this.throwIfStopped();
  }

  /** Counts one more process; false when there may be no more. */
  spawn(): boolean {
    this.#processes++;
    if (this.#processes <= this.limits.processes) {
      return true;
    }
    this.note("processes");
    return false;
  }
}
