/** Owns knowing which runs a local runner process is busy with, and which of them brought it down; never starts or kills a process. */
import type { RunLimitName } from "../model/run.ts";
import type { WatchMessage, WatchVerdict } from "../model/run-watch.ts";

/** How long after its own time limit a run may still be unanswered before it counts as one that never ends. */
const OVERDUE_MS = 2_000;
/** How often a run may be lost through others before it is given up as well. */
const MOST_LOSSES = 4;
/** How long a run is remembered. */
const MEMORY_MS = 120_000;

/** The rule is written down in src/sandbox/watch.ts. */
export class RunWatch {
  readonly #onOverdue: (id: string) => void;
  readonly #active = new Map<string, NodeJS.Timeout>();
  /** Lost with a process that died, one of them its cause. */
  readonly #suspects = new Set<string>();
  readonly #guilty = new Map<string, RunLimitName>();
  readonly #losses = new Map<string, number>();
  readonly #waiting: (() => void)[] = [];
  #trial: string | null = null;

  /** @param onOverdue told of a run that will never end */
  constructor(onOverdue: (id: string) => void) {
    this.#onOverdue = onOverdue;
  }

  /** Takes what the runner tells. A begin is answered when the run may go on, or with why it may not. */
  async note(message: WatchMessage): Promise<WatchVerdict> {
    if (message.event === "end") {
      this.#end(message.id);
      return { stopped: null };
    }
    const { id } = message;
    const guilty = this.#guilty.get(id);
    if (guilty !== undefined) {
      return { stopped: guilty };
    }
    while (this.#suspects.has(id) && this.#trial !== null && this.#trial !== id) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    if (this.#suspects.has(id)) {
      this.#trial = id;
    }
    clearTimeout(this.#active.get(id));
    this.#active.set(
      id,
      setTimeout(() => this.#overdue(id), message.timeout_ms + OVERDUE_MS),
    );
    return { stopped: null };
  }

  /** The process died by itself. */
  crashed(): void {
    if (this.#trial !== null && this.#active.has(this.#trial)) {
      this.#convict(this.#trial, "memory");
    }
    this.#lose("suspects");
  }

  clear(): void {
    for (const timer of this.#active.values()) {
      clearTimeout(timer);
    }
    this.#active.clear();
    this.#endTrial();
  }

  #overdue(id: string): void {
    this.#convict(id, "wall");
    this.#lose("victims");
    this.#onOverdue(id);
  }

  /** Every run under way is lost. */
  #lose(as: "suspects" | "victims"): void {
    for (const id of this.#active.keys()) {
      const losses = (this.#losses.get(id) ?? 0) + 1;
      this.#losses.set(id, losses);
      this.#forgetLater(id);
      if (losses >= MOST_LOSSES) {
        this.#convict(id, "wall");
      } else if (as === "suspects" && !this.#guilty.has(id)) {
        this.#suspects.add(id);
      }
    }
    this.clear();
  }

  #end(id: string): void {
    clearTimeout(this.#active.get(id));
    this.#active.delete(id);
    this.#suspects.delete(id);
    if (this.#trial === id) {
      this.#endTrial();
    }
  }

  #endTrial(): void {
    this.#trial = null;
    for (const go of this.#waiting.splice(0)) {
      go();
    }
  }

  #convict(id: string, limit: RunLimitName): void {
    this.#suspects.delete(id);
    if (!this.#guilty.has(id)) {
      this.#guilty.set(id, limit);
      this.#forgetLater(id);
    }
  }

  #forgetLater(id: string): void {
    const forget = () => {
      this.#guilty.delete(id);
      this.#losses.delete(id);
      this.#suspects.delete(id);
    };
    setTimeout(forget, MEMORY_MS).unref();
  }
}
