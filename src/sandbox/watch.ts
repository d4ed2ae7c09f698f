/** Owns telling a local supervisor which runs are under way; in production there is none and nothing is told. */
import type { RunLimitName } from "../model/run.ts";
import type { WatchMessage, WatchVerdict } from "../model/run-watch.ts";

/** Where a local supervisor listens (the part this project uses of a service binding). */
export interface Watch {
  fetch(input: string, init: { method: string; body: string }): Promise<{ json(): Promise<unknown> }>;
}

/**
 * The rule between runner and supervisor. A run that was begun and has not ended a grace after its `timeout_ms` never will: every
 * cooperative limit has passed, the process spins and is killed. A process may also die of one run's memory. Whoever waited for other
 * runs of that process sees its call fail and sends the same request (with the same id) again. The supervisor knows which run was
 * overdue, and finds out which one crashed by letting the suspects through one at a time; that one is answered with its limit here,
 * all others run.
 */
export async function tellBegin(
  watch: Watch | undefined,
  id: string,
  timeout_ms: number,
): Promise<RunLimitName | null> {
  if (watch === undefined) {
    return null;
  }
  const answer = await tell(watch, { event: "begin", id, timeout_ms });
  return ((await answer?.json()) as WatchVerdict | undefined)?.stopped ?? null;
}

export async function tellEnd(watch: Watch | undefined, id: string): Promise<void> {
  if (watch !== undefined) {
    await tell(watch, { event: "end", id });
  }
}

async function tell(watch: Watch, message: WatchMessage) {
  try {
    return await watch.fetch("http://watch/", { method: "POST", body: JSON.stringify(message) });
  } catch {
    // A supervisor that is gone is no reason to refuse a run.
    return null;
  }
}
