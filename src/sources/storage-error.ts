/** Owns the one way in which a store that fails or stalls is reported. */
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";

/** How long a read may take before the store counts as not available, milliseconds. A large blob from afar takes a second or two. */
export const STORAGE_DEADLINE_MS = 10_000;

/** Reads from storage; whatever that throws, at once or later, becomes `storage-unavailable` with the cause kept; so does no answer in time. */
export async function reading<T>(what: string, read: () => Promise<T>, deadlineMs = STORAGE_DEADLINE_MS): Promise<T> {
  try {
    return await inTime(read(), deadlineMs);
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot read ${what}`, { cause });
  }
}
