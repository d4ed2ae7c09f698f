/**
 * Owns which local runner process a run goes to, and what becomes of runs when one blocks or dies; never starts a process itself.
 *
 * All runs of a process share one thread, and one long call inside C, V8 or WebAssembly holds it. So:
 * - Runs go to the first process that answers. One that does not gets no new runs, and another is started.
 * - A process blocked by the only run in it is ended when that run's budget of CPU or wall clock is over: the run is stopped by that limit.
 * - When several runs are in it, nobody outside can tell which one blocks. After {@link PATIENCE_MS} and a little for each of them the process is ended and all of them are
 *   lost. Those that may begin again do so each alone in a process, until the one that blocks is found; the others then go where all go.
 * - One that takes too much memory is ended, and its only run stopped by that limit.
 * - A process that dies by itself (memory) is treated the same: one run in it is the cause, several begin again alone.
 * - A run of little time that its own clock has stopped begins again alone when its process was blocked for half of that time: others have had it.
 */
import type { RunLimitName } from "../model/run.ts";
import type { Fate, Place, PlaceMessage } from "../model/run-place.ts";
import { Changes } from "./changes.ts";
import { PooledRun } from "./pooled-run.ts";
import type { PooledProcess, RunnerSlot } from "./runner-slot.ts";
import { RunnerSlots } from "./runner-slots.ts";

const LOOK_MS = 250;
const PATIENCE_MS = 3_000;
/** The patience for each run more, since they take turns. */
const TURN_MS = 300;
/** How long a question to a process may be on its way: a run that began meanwhile may be why nobody answered. */
const ON_ITS_WAY_MS = 100;
/** How long a run waits for a process, and when to come back if there is none. */
const WAIT_MS = 10_000;
const RETRY_AFTER_MS = 2_000;
/** How long a process beside the last one is kept with nothing to do. */
const IDLE_MS = 30_000;
/** How long it is waited for news of a process that its runs miss. */
const NEWS_MS = 2_000;

const BLOCKED = "another run blocked its process, which had to be ended";
const DIED = "its process died, and another run in it may be why";

export interface PoolParts {
  /** Starts the process of a slot; it is ready when the promise is fulfilled. */
  readonly start: (slot: number) => Promise<PooledProcess>;
  /** Told of each process that was ended or died. */
  readonly onLoss: (why: string) => void;
  /** How many times longer than on an idle machine something may take. */
  readonly strain: () => number;
}

export class RunnerPool {
  readonly #onLoss: (why: string) => void;
  readonly #strain: () => number;
  readonly #slots: RunnerSlots;
  readonly #runs = new Map<string, PooledRun>();
  readonly #slotOf = new Map<PooledRun, RunnerSlot>();
  readonly #changes = new Changes();
  #timer: NodeJS.Timeout | undefined;

  constructor({ start, onLoss, strain }: PoolParts) {
    this.#onLoss = onLoss;
    this.#strain = strain;
    const parts = { start, strain, now: Date.now, onChange: () => this.#onChange() };
    this.#slots = new RunnerSlots(parts, onLoss);
  }

  /** Starts the first process. */
  async start(): Promise<void> {
    await this.#slots.start();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const run of this.#runs.values()) {
      run.settle({ over: true });
    }
    await this.#slots.stop();
  }

  /** Takes what the front tells, and answers it. */
  async note(message: PlaceMessage): Promise<Place | Fate> {
    if (message.event === "begin") {
      return await this.#place(message);
    }
    const run = this.#runs.get(message.id);
    if (run === undefined) {
      return { over: true };
    }
    if (message.event === "end" || message.event === "alive") {
      this.#slotOf.get(run)?.heard();
      if (message.event === "end") {
        this.#forget(run);
      }
      return { over: true };
    }
    if (message.event === "stopped") {
      return this.#secondChance(run);
    }
    if (message.event === "gone") {
      this.#slotOf.get(run)?.missed(run);
      const late = setTimeout(() => this.#abandon(run, DIED), NEWS_MS * this.#strain());
      return await run.fate().finally(() => clearTimeout(late));
    }
    return await run.fate();
  }

  /** A process has died by itself, and was started anew in its place. */
  died(index: number): void {
    const slot = this.#slots.all[index];
    if (slot === undefined || !slot.isUp || this.#slots.isStopped) {
      return;
    }
    this.#onLoss("a runner process died");
    const inIt = slot.diedWith();
    const [only, ...others] = inIt;
    if (only !== undefined && others.length === 0) {
      this.#convict(only, "memory");
    } else {
      this.#lose(inIt, DIED);
    }
    for (const run of slot.runs) {
      if (run.hasMissed) {
        // It came when no process was there.
        this.#abandon(run, DIED);
      }
    }
    slot.blockedSince = null;
    this.#changes.ring();
  }

  async #place({ id, timeout_ms, cpu_ms, at }: Extract<PlaceMessage, { event: "begin" }>): Promise<Place> {
    const run = this.#runs.get(id) ?? new PooledRun(id, timeout_ms, cpu_ms, Date.now());
    this.#runs.set(id, run);
    this.#leave(run);
    if (run.isGivenUp) {
      return { given_up: `${run.losses} processes were lost under it through other runs` };
    }
    if (at !== undefined) {
      const slot = this.#slots.all[at.process];
      return slot?.holds(at.ago_ms) && run.losses === 0 ? this.#placed(run, slot, at.ago_ms) : { nowhere: true };
    }
    const until = Date.now() + WAIT_MS;
    for (;;) {
      const slot = run.alone ? this.#slots.empty() : this.#slots.common();
      if (slot !== null) {
        return this.#placed(run, slot, 0);
      }
      if (Date.now() >= until || this.#slots.isStopped) {
        return { busy: true, retry_after_ms: RETRY_AFTER_MS };
      }
      await this.#changes.next(LOOK_MS);
    }
  }

  #placed(run: PooledRun, slot: RunnerSlot, agoMs: number): Place {
    slot.take(run, agoMs);
    this.#runs.set(run.id, run);
    this.#slotOf.set(run, slot);
    const next = this.#slots.common()?.index ?? null;
    return next === slot.index ? { process: slot.index } : { process: slot.index, next };
  }

  /** A run that its clock has stopped while its process was blocked begins again, by itself. */
  #secondChance(run: PooledRun): Fate {
    if (!run.wasStarved(this.#slotOf.get(run)?.silentMs ?? 0)) {
      return { over: true };
    }
    run.incident = { solved: false };
    this.#abandon(run, BLOCKED);
    return { lost: BLOCKED };
  }

  /** Looks after every process. */
  #look(): void {
    const now = Date.now();
    for (const run of this.#runs.values()) {
      if (run.isForgotten(now)) {
        this.#forget(run);
      }
    }
    const up = this.#slots.all.filter((slot) => slot.isUp);
    for (const slot of up) {
      if (slot.runs.size > 0 || slot.blockedSince !== null) {
        slot.busyAt = now;
        slot.ping();
        if (this.#weigh(slot) === "fits") {
          this.#judge(slot, now);
        }
      } else if (slot !== up[0] && now - slot.busyAt > IDLE_MS) {
        void slot.close();
      }
    }
  }

  /** Ends a process that takes too much memory. */
  #weigh(slot: RunnerSlot): "fits" | "ended" {
    const heavy = slot.overweight;
    if (heavy === null) {
      return "fits";
    }
    if (heavy !== "all") {
      this.#convict(heavy, "memory");
    }
    this.#end(slot, heavy === "all" ? "its runs took too much memory" : `run ${heavy.id} took too much memory`, DIED);
    return "ended";
  }

  #judge(slot: RunnerSlot, now: number): void {
    const since = slot.blockedSince;
    if (since === null) {
      return;
    }
    for (const run of slot.runs) {
      if (run.begunAt > since + ON_ITS_WAY_MS * this.#strain()) {
        // It came when nothing was taken in any more.
        this.#abandon(run, BLOCKED);
      }
    }
    const blockedFor = now - since;
    const [only, ...others] = slot.runs;
    if (only === undefined || others.length > 0) {
      if (blockedFor >= (PATIENCE_MS + TURN_MS * slot.runs.size) * this.#strain()) {
        this.#end(slot, "a run in it blocked it", BLOCKED);
      }
      return;
    }
    only.blocks = true;
    only.blame();
    const limit = only.spent(slot.computedFor(now), now, this.#strain());
    if (limit !== null) {
      this.#convict(only, limit);
      this.#end(slot, `run ${only.id} did not end`, BLOCKED);
    }
  }

  #end(slot: RunnerSlot, why: string, told: string): void {
    this.#onLoss(`a runner process was ended: ${why}`);
    this.#lose(slot.runs, told);
    void slot.close();
  }

  /** Every run of a process is lost, through one of them. */
  #lose(runs: Iterable<PooledRun>, why: string): void {
    const all = [...runs];
    const incident = { solved: all.length < 2 };
    for (const run of all) {
      run.incident = incident;
      this.#abandon(run, why);
    }
  }

  #abandon(run: PooledRun, why: string): void {
    this.#leave(run);
    run.losses++;
    run.settle({ lost: why });
  }

  #convict(run: PooledRun, limit: RunLimitName): void {
    run.blame();
    this.#leave(run);
    run.settle({ stopped: limit, after_ms: Math.max(1, Date.now() - run.begunAt) });
  }

  #leave(run: PooledRun): void {
    this.#slotOf.get(run)?.drop(run);
    this.#slotOf.delete(run);
    this.#changes.ring();
  }

  #forget(run: PooledRun): void {
    this.#leave(run);
    this.#runs.delete(run.id);
    run.settle({ over: true });
  }

  #onChange(): void {
    const isAnyReady = this.#slots.all.some((slot) => slot.isReady);
    if (!isAnyReady) {
      this.#slots.openAnother();
    }
    this.#changes.ring();
  }
}
