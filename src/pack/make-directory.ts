/** Owns making a directory and those above it. Node's own way (`recursive`) never ends where nothing can be made, as below `/proc`. */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SkillsError } from "../model/errors.ts";

/** Makes a directory; one that is there is as good. Answers the first that was made, undefined when none was. Throws `storage-unavailable`. */
export function makeDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(directory); !existsSync(at); at = dirname(at)) {
    missing.unshift(at);
  }
  for (const path of missing) {
    makeOne(path);
  }
  if (missing.length === 0) {
    makeOne(directory);
  }
  return missing[0];
}

/** Somebody else may be making it just now. */
function makeOne(path: string): void {
  try {
    mkdirSync(path);
  } catch (cause) {
    if (!isDirectory(path)) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new SkillsError("storage-unavailable", `Cannot make the directory "${path}": ${reason}`, { cause });
    }
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
