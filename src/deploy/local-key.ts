/** Owns the key that seals the secrets of a local state: made once, kept beside the state for its owner only. Never the key of a deployed edge. */
import { randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { SkillsError } from "../model/errors.ts";

const FILE = "secrets.key";

/** The key of a state directory, made when there is none yet; of a state that is kept nowhere, a new one. Throws `storage-unavailable`. */
export function localKey(state: string | null): string {
  const fresh = randomBytes(32).toString("base64");
  if (state === null) {
    return fresh;
  }
  const file = join(state, FILE);
  try {
    return readKey(file) ?? makeKey(file, fresh);
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot keep a key in "${state}": ${String(cause)}`, { cause });
  }
}

function readKey(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (codeOf(error) === "ENOENT") {
      return null;
    }
    throw error;
  }
}

/** Whole or not there at all: another process may be making it too, and may be first. */
function makeKey(file: string, key: string): string {
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `${key}\n`, { mode: 0o600 });
    linkSync(draft, file);
    return key;
  } catch (error) {
    if (codeOf(error) === "EEXIST") {
      return readFileSync(file, "utf8").trim();
    }
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
