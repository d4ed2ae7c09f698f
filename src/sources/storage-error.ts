/** Owns the one way in which a failing store is reported. */
import { SkillsError } from "../model/errors.ts";

/** Reads from storage; whatever that throws, at once or later, becomes `storage-unavailable` with the cause kept. */
export async function reading<T>(what: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot read ${what}`, { cause });
  }
}
