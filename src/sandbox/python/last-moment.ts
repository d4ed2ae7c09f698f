/**
 * Owns the last moment of a Python process whose run is stopped: it may hand on what it has printed and not flushed yet
 * (site/sitecustomize.py). It gets that moment once; after that it is unwound. Never why a run is stopped.
 */
import { type RunState, Stopped } from "../run-state.ts";

/** SIGUSR1: the signal that site/sitecustomize.py flushes on. */
const FLUSH_SIGNAL = 10;
/** How often CPython asks for signals while it handles that one; each time is a few dozen bytecodes. */
const MOST_ASKED = 32;

/** What a call answers that was interrupted; CPython then asks for signals, and calls again. */
export const EINTR = 27;

export class LastMoment {
  readonly #state: RunState;
  #isInterrupted = false;
  #asked = 0;

  constructor(state: RunState) {
    this.#state = state;
  }

  /** What a waiting call answers in place of an error that came of the run's stop, the first time. Throws every other error on. */
  interrupt<T>(error: unknown, answer: T): T {
    if (this.#isInterrupted || !this.#isStop(error)) {
      throw error;
    }
    this.#isInterrupted = true;
    return answer;
  }

  /** The signal to answer in place of such an error; 0 while the first one is handled. Throws what is no such error, and later ones. */
  signal(error: unknown): number {
    if (!this.#isStop(error) || this.#asked > MOST_ASKED) {
      throw error;
    }
    return this.#asked++ === 0 ? FLUSH_SIGNAL : 0;
  }

  #isStop(error: unknown): boolean {
    return this.#state.stopped !== null && error instanceof Stopped;
  }
}
