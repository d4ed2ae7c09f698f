/** Owns telling a local supervisor which runs are under way; in production there is none and nothing is told. */

/** Where a local supervisor listens (the part this project uses of a service binding). */
export interface Watch {
  fetch(input: string, init: { method: string; body: string }): Promise<unknown>;
}

/**
 * The rule for a supervisor: a run that was begun and has not ended `timeout_ms` and a grace later never will, since every
 * cooperative limit has passed; the process spins and must be killed. Whoever waited for a run of a killed process sees its call
 * fail: after the run's own `timeout_ms` that means "stopped, timed out", before it "lost through no fault of its own, try again".
 */
export async function tellBegin(watch: Watch | undefined, id: string, timeout_ms: number): Promise<void> {
  await tell(watch, { event: "begin", id, timeout_ms });
}

export async function tellEnd(watch: Watch | undefined, id: string): Promise<void> {
  await tell(watch, { event: "end", id });
}

async function tell(watch: Watch | undefined, message: object): Promise<void> {
  try {
    await watch?.fetch("http://watch/", { method: "POST", body: JSON.stringify(message) });
  } catch {
    // A supervisor that is gone is no reason to refuse a run.
  }
}
