/** Owns telling a run that its sender gave up before it began; never why it was given up. */
import type { RunHost, RunRequest } from "../model/run.ts";

/** What a request may take on its way, milliseconds; a sender gives up none that took less. */
const ON_ITS_WAY_MS = 50;

/**
 * Throws for a run that was given up while it was on its way to a blocked process, or waited for room: it has begun elsewhere, and what it
 * would do here nobody would know to be its doing.
 */
export async function throwIfGivenUp(
  { sent_at }: Pick<RunRequest, "sent_at">,
  host: Pick<RunHost, "readFiles">,
  now: number,
): Promise<void> {
  if (sent_at !== undefined && now - sent_at > ON_ITS_WAY_MS) {
    await host.readFiles([]);
  }
}
