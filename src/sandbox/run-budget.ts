/** Owns what all programs of one run use up together within an isolate: processes, memory of Python's interpreters. Never what one of them may have. */

export class RunBudget {
  #processes: number;
  #bytes = 0;

  /** @param processes how many were started elsewhere */
  constructor(processes = 0) {
    this.#processes = processes;
  }

  /** How many processes were started so far. */
  get processes(): number {
    return this.#processes;
  }

  /** Counts one more process; false when there may be no more. */
  spawn(most: number): boolean {
    this.#processes++;
    return this.#processes <= most;
  }

  /** Takes so many more bytes of memory; false when there are not so many. */
  grow(bytes: number, most: number): boolean {
    if (this.#bytes + bytes > most) {
      return false;
    }
    this.#bytes += bytes;
    return true;
  }

  shrink(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** Budgets of runs that have a program in this isolate just now. */
const budgets = new Map<string, { readonly budget: RunBudget; programs: number }>();

/**
 * Does something within the budget that all programs of a run share.
 * @param started how many processes the run has started so far, here and elsewhere
 */
export async function withinBudget<T>(
  run: string,
  started: number,
  work: (budget: RunBudget) => Promise<T>,
): Promise<T> {
  const shared = budgets.get(run) ?? { budget: new RunBudget(started), programs: 0 };
  budgets.set(run, shared);
  shared.programs++;
  try {
    return await work(shared.budget);
  } finally {
    shared.programs--;
    if (shared.programs === 0) {
      budgets.delete(run);
    }
  }
}
