/** Owns the key that seals the secrets of a local state: made once, kept beside the state for its owner only. Never the key of a deployed edge. */
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILE = "secrets.key";

/** The key of a state directory, made when there is none yet; of a state that is kept nowhere, a new one. */
export function localKey(state: string | null): string {
  const fresh = randomBytes(32).toString("base64");
  if (state === null) {
    return fresh;
  }
  const file = join(state, FILE);
  try {
    writeFileSync(file, `${fresh}\n`, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    // Another process may have been first.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
    return readFileSync(file, "utf8").trim();
  }
}
