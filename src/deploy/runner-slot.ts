/** Owns one place of the pool: the process in it, whether that answers, the runs in it; never which run goes where. */
import type { PooledRun } from "./pooled-run.ts";

/** How long a process may take to answer, and how much longer for each run in it, since they take turns. */
const BLOCKED_AFTER_MS = 750;
const TURN_MS = 100;
/** What is shorter is a turn of others. */
const SILENT_AFTER_MS = 1_500;

/** What the only run of a process may make it grow by, and what a process may take at all: its runs are admitted by 2 GB. Bytes. */
const MOST_RUN_BYTES = 1 << 30;
const MOST_PROCESS_BYTES = 3 * (1 << 30);

/** One process as the pool sees it. */
export interface PooledProcess {
  /** Settles when the process answers, or is not there. */
  ping(): Promise<unknown>;
  /** Bytes of memory it takes; null where nobody can tell. */
  memory(): number | null;
  /** Milliseconds of CPU time it has had; null where nobody can tell. */
  cpu(): number | null;
  end(): Promise<void>;
}

export interface SlotParts {
  /** Starts the process of a slot; it is ready when the promise is fulfilled. */
  readonly start: (slot: number) => Promise<PooledProcess>;
  readonly now: () => number;
  /** How many times longer than on an idle machine something may take. */
  readonly strain: () => number;
  /** Told of each change of what the slot can take. */
  readonly onChange: () => void;
}

export class RunnerSlot {
  readonly index: number;
  readonly runs = new Set<PooledRun>();
  /** Since when the process has not answered; null while it does. */
  blockedSince: number | null = null;
  /** When it last had something to do. */
  busyAt = 0;
  readonly #parts: SlotParts;
  #process: PooledProcess | null = null;
  #changing: Promise<void> | null = null;
  #pinging = false;
  #heardAt = 0;
  #silentMs = 0;
  #silentSince: number | null = null;
  /** Since when the process that is there now is, as far as anybody can tell. */
  #since = 0;
  /** When a run first missed the process; null once it is known what became of that. */
  #missedAt: number | null = null;
  /** The CPU time of the process when it was last known to answer. */
  #cpuBefore: number | null = null;

  constructor(index: number, parts: SlotParts) {
    this.index = index;
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#process === null && this.#changing === null;
  }

  get isStarting(): boolean {
    return this.#process === null && this.#changing !== null;
  }

  get isUp(): boolean {
    return this.#process !== null && this.#changing === null;
  }

  /** Whether what began so many milliseconds ago is in the process that is there now. */
  holds(agoMs: number): boolean {
    return this.isUp && this.#parts.now() - agoMs >= this.#since;
  }

  /** Whether it takes runs. */
  get isReady(): boolean {
    return this.isUp && this.blockedSince === null;
  }

  get hasLoneRun(): boolean {
    return [...this.runs].some((run) => run.alone);
  }

  async open(): Promise<void> {
    await this.#change(async () => {
      this.#missedAt = null;
      this.#process = await this.#parts.start(this.index);
      this.busyAt = this.#parts.now();
      this.#since = this.busyAt;
    });
  }

  async close(): Promise<void> {
    if (this.#changing !== null) {
      await this.#changing.catch(() => undefined);
    }
    // From here on it takes no runs, before anybody else has a turn.
    const process = this.#process;
    this.#process = null;
    this.blockedSince = null;
    if (process !== null) {
      await this.#change(() => process.end());
    }
  }

  /** How long in all nothing was heard of its processes although one was asked, milliseconds; short times do not count. */
  get silentMs(): number {
    const lasts = this.#silentSince === null ? 0 : this.#parts.now() - this.#silentSince;
    return this.#silentMs + (lasts >= SILENT_AFTER_MS ? lasts : 0);
  }

  /** A run is not in the process any more. What that has taken until now is not the doing of the one that is left. */
  drop(run: PooledRun): void {
    this.runs.delete(run);
    const [only, ...others] = this.runs;
    if (only !== undefined && others.length === 0) {
      only.memoryBefore = this.memory;
    }
  }

  /** Whose memory is too much: the only run's, or that of all together; null while it is not. V8 itself bounds objects, but no buffers. */
  get overweight(): PooledRun | "all" | null {
    const { memory } = this;
    const [only, ...others] = this.runs;
    if (only !== undefined && others.length === 0 && memory - only.memoryBefore > MOST_RUN_BYTES) {
      return only;
    }
    return memory > MOST_PROCESS_BYTES ? "all" : null;
  }

  /** Bytes of memory that the process takes; 0 where nobody can tell. */
  get memory(): number {
    return this.#process?.memory() ?? 0;
  }

  /**
   * How long the process has computed since it does not answer, milliseconds: on a busy machine that is less than the time that has gone by.
   * Where nobody can tell, what it may have had of that time.
   */
  computedFor(now: number): number {
    const cpu = this.#process?.cpu() ?? null;
    const blockedFor = now - (this.blockedSince ?? now);
    return cpu === null || this.#cpuBefore === null
      ? blockedFor / this.#parts.strain()
      : Math.min(blockedFor, cpu - this.#cpuBefore);
  }

  /** A run begins in it, or did so some milliseconds ago. */
  take(run: PooledRun, agoMs: number): void {
    this.busyAt = this.#parts.now();
    run.begin(this.busyAt - agoMs, this);
    this.runs.add(run);
    for (const one of this.runs) {
      one.hadCompany ||= this.runs.size > 1;
    }
  }

  /** Asks the process whether it is there; what comes of it is in {@link blockedSince}. */
  ping(): void {
    const process = this.#process;
    if (process === null || this.#pinging) {
      return;
    }
    this.#pinging = true;
    const sentAt = this.#parts.now();
    this.#silentSince = sentAt;
    this.#cpuBefore = process.cpu();
    const late = setTimeout(
      () => {
        if (this.#process === process) {
          this.blockedSince = Math.max(sentAt, this.#heardAt);
          this.#parts.onChange();
        }
      },
      (BLOCKED_AFTER_MS + TURN_MS * this.runs.size) * this.#parts.strain(),
    );
    const answered = () => {
      clearTimeout(late);
      this.#pinging = false;
      this.#hear(null);
      if (this.#process === process && this.blockedSince !== null) {
        this.blockedSince = null;
        this.#parts.onChange();
      }
    };
    // One that is not there is no blocked one: whoever waits for its runs hears of that in another way.
    process.ping().then(answered, answered);
  }

  /** Something came from the process: it is slow, not blocked. */
  heard(): void {
    this.#heardAt = this.#parts.now();
    this.#hear(this.#pinging ? this.#heardAt : null);
    this.#cpuBefore = this.#process?.cpu() ?? null;
    if (this.blockedSince !== null) {
      this.blockedSince = this.#heardAt;
    }
  }

  /** The process was silent until now; `again` says since when it is once more, if it was asked. */
  #hear(again: number | null): void {
    this.#silentMs = this.silentMs;
    this.#silentSince = again;
  }

  /** A run has found the process gone. */
  missed(run: PooledRun): void {
    run.hasMissed = true;
    this.#missedAt ??= this.#parts.now();
  }

  /** The runs that were in the process when it died: one that began after others had missed it is in the next process already. */
  diedWith(): PooledRun[] {
    this.#since = this.#missedAt ?? this.#parts.now();
    this.#missedAt = null;
    return [...this.runs].filter((run) => run.begunAt <= this.#since);
  }

  async #change(work: () => Promise<void>): Promise<void> {
    const changing = work();
    this.#changing = changing;
    try {
      await changing;
    } finally {
      this.#changing = null;
      this.#parts.onChange();
    }
  }
}
