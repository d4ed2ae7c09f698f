/** Owns one run as the pool of local runner processes knows it: where it is, what became of it; never which process it goes to. */
import type { RunLimitName } from "../model/run.ts";
import type { Fate } from "../model/run-place.ts";

/** How long a run whose budget is over may take to end by itself on an idle machine. */
const GRACE_MS = 1_000;
/** How long after its budget a run counts as gone that nobody has said the end of. */
const FORGET_MS = 35_000;

/** How often a run may be lost through others before it is given up. */
const MOST_LOSSES = 4;

/** A run of so little time that whoever waits for it can wait as long once more. */
const MOST_AGAIN_MS = 10_000;

/** Runs that were lost together; solved once it is known whose fault it was. */
export interface Incident {
  solved: boolean;
}

export class PooledRun {
  readonly id: string;
  readonly #timeoutMs: number;
  readonly #cpuMs: number;
  /** When it began, or first asked for a place. */
  begunAt: number;
  /** What its process took when it began, bytes. */
  memoryBefore = 0;
  /** Others have been in its process with it. */
  hadCompany = false;
  /** How long in all its process had not answered when it began, milliseconds. */
  #silentBefore = 0;
  /** How often its process was lost through another run. */
  losses = 0;
  /** The last time it was lost together with others. */
  incident: Incident | null = null;
  /** It is known to block its process. */
  blocks = false;
  /** It has found its process gone. */
  hasMissed = false;
  #fate: Fate | null = null;
  #waiting: ((fate: Fate) => void)[] = [];

  constructor(id: string, timeoutMs: number, cpuMs: number, now: number) {
    this.id = id;
    this.begunAt = now;
    this.#timeoutMs = timeoutMs;
    this.#cpuMs = cpuMs;
  }

  /** Whether it has to have a process for itself; the last time in any case, since one that was found need not be the only one to look for. */
  get alone(): boolean {
    return this.blocks || this.incident?.solved === false || this.losses >= MOST_LOSSES - 1;
  }

  /** Whether it was lost too often to begin once more. */
  get isGivenUp(): boolean {
    return this.losses >= MOST_LOSSES;
  }

  /** It begins, once more perhaps, in a process that takes so much memory and has not answered for so long in all. */
  begin(now: number, process: { readonly memory: number; readonly silentMs: number }): void {
    this.begunAt = now;
    this.memoryBefore = process.memory;
    this.#silentBefore = process.silentMs;
    this.hadCompany = false;
    this.hasMissed = false;
    this.#fate = null;
  }

  /** What becomes of it, once that is known. */
  fate(): Promise<Fate> {
    return this.#fate === null ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(this.#fate);
  }

  settle(fate: Fate): void {
    this.#fate ??= fate;
    for (const tell of this.#waiting.splice(0)) {
      tell(this.#fate);
    }
  }

  /** It is the one: those that were lost with it are free of suspicion. */
  blame(): void {
    if (this.incident !== null) {
      this.incident.solved = true;
    }
  }

  /** The budget that it has used up and should have ended by, or null. `computedMs` is what its process has computed without an answer. */
  spent(computedMs: number, now: number, strain: number): RunLimitName | null {
    if (now >= this.begunAt + this.#timeoutMs + GRACE_MS * strain) {
      return "wall";
    }
    return computedMs >= this.#cpuMs + GRACE_MS ? "cpu" : null;
  }

  /** Whether others may have had most of its time, so that it is worth to let it begin again. */
  wasStarved(silentMs: number): boolean {
    const isShort = this.#timeoutMs <= MOST_AGAIN_MS;
    return this.hadCompany && isShort && silentMs - this.#silentBefore >= this.#timeoutMs / 2;
  }

  /** Whether nobody can be waiting for it any more. */
  isForgotten(now: number): boolean {
    return now > this.begunAt + this.#timeoutMs + FORGET_MS;
  }
}
