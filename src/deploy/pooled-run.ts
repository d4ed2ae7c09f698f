/** Owns one run as the pool of local runner processes knows it: where it is, what became of it; never which process it goes to. */
import type { RunLimitName } from "../model/run.ts";
import type { Fate } from "../model/run-place.ts";

/** How long a run whose budget is over may take to end by itself on an idle machine. */
const GRACE_MS = 1_000;
/** How long after its budget a run counts as gone that nobody has said the end of. */
const FORGET_MS = 35_000;

/** Runs that were lost together; solved once it is known whose fault it was. */
export interface Incident {
  solved: boolean;
}

export class PooledRun {
  readonly id: string;
  readonly #timeoutMs: number;
  readonly #cpuMs: number;
  begunAt = 0;
  /** What its process took when it began, bytes. */
  memoryBefore = 0;
  /** How often its process was lost through another run. */
  losses = 0;
  /** The last time it was lost together with others. */
  incident: Incident | null = null;
  /** It is known to block its process. */
  blocks = false;
  #fate: Fate | null = null;
  #waiting: ((fate: Fate) => void)[] = [];

  constructor(id: string, timeoutMs: number, cpuMs: number) {
    this.id = id;
    this.#timeoutMs = timeoutMs;
    this.#cpuMs = cpuMs;
  }

  /** Whether it has to have a process for itself. */
  get alone(): boolean {
    return this.blocks || this.incident?.solved === false;
  }

  /** It begins, once more perhaps. */
  begin(now: number, memory: number): void {
    this.begunAt = now;
    this.memoryBefore = memory;
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

  /** Whether nobody can be waiting for it any more. */
  isForgotten(now: number): boolean {
    return now > this.begunAt + this.#timeoutMs + FORGET_MS;
  }
}
