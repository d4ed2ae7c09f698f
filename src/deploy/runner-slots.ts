/** Owns the places of the pool together: which one takes a run that comes now, when another process is started; never what becomes of runs. */
import { RunnerSlot, type SlotParts } from "./runner-slot.ts";

/** Processes at one time. */
export const MOST_PROCESSES = 4;

export class RunnerSlots {
  readonly all: readonly RunnerSlot[];
  readonly #onLoss: (why: string) => void;
  #stopped = false;

  constructor(parts: SlotParts, onLoss: (why: string) => void) {
    this.all = Array.from({ length: MOST_PROCESSES }, (_, index) => new RunnerSlot(index, parts));
    this.#onLoss = onLoss;
  }

  /** Starts the first process. */
  async start(): Promise<void> {
    await this.all[0]?.open();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.all.map((slot) => slot.close()));
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Where all runs go: the first process that answers and that no run has for itself. Null while there is none; one is started then. */
  common(): RunnerSlot | null {
    return this.#common ?? this.openAnother();
  }

  /** A process for one run alone; the one that all others go to is left to them. */
  empty(): RunnerSlot | null {
    if (this.all.filter((slot) => slot.hasLoneRun).length >= MOST_PROCESSES - 1) {
      return null;
    }
    const common = this.#common;
    const isFree = (slot: RunnerSlot) => slot !== common && slot.isReady && slot.runs.size === 0;
    return this.all.findLast(isFree) ?? this.openAnother();
  }

  /** Starts a process where there is none, one at a time. */
  openAnother(): null {
    if (!this.#stopped && !this.all.some((slot) => slot.isStarting)) {
      const slot = this.all.find((slot) => slot.isEmpty);
      slot?.open().catch((error) => this.#onLoss(`a runner process did not start: ${error}`));
    }
    return null;
  }

  get #common(): RunnerSlot | undefined {
    return this.all.find((slot) => slot.isReady && !slot.hasLoneRun);
  }
}
