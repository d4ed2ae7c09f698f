/** Owns whether the files of a call can lie where they are to, beside the skill's own; never their bytes. */
import { SkillsError } from "../model/errors.ts";

/** As on Linux: of one name, and of a path below the root, in characters. */
const LONGEST_NAME = 255;
const LONGEST_PATH = 4_000;

/**
 * Throws `arguments-invalid` for a file of a call that no file system could hold beside the others.
 * @param own paths of the skill's files
 * @param given paths of the call's, each safe (`isSafePath`); one that is the skill's lies over that
 */
export function throwIfMisplaced(own: readonly string[], given: readonly string[]): void {
  if (given.length === 0) {
    return;
  }
  const files = new Set([...own, ...given]);
  const directories = new Set([...files].flatMap(directoriesOf));
  for (const path of given) {
    const problem = problemOf(path, files, directories);
    if (problem !== null) {
      const shown = path.toWellFormed().slice(0, LONGEST_NAME);
      throw new SkillsError("arguments-invalid", `Cannot use file "${shown}": ${problem}`);
    }
  }
}

function problemOf(path: string, files: ReadonlySet<string>, directories: ReadonlySet<string>): string | null {
  if (!path.isWellFormed()) {
    return "its path holds half a character";
  }
  if (path.length > LONGEST_PATH || path.split("/").some((name) => name.length > LONGEST_NAME)) {
    return "its path is too long";
  }
  if (directories.has(path)) {
    return "there is a directory of that name";
  }
  const above = directoriesOf(path).find((directory) => files.has(directory));
  return above === undefined ? null : `"${above}" is a file, not a directory`;
}

/** `a` and `a/b` of `a/b/c`; none of a path that is too long to be one. */
function directoriesOf(path: string): string[] {
  const names = path.length > LONGEST_PATH ? [] : path.split("/").slice(0, -1);
  return names.map((_, i) => names.slice(0, i + 1).join("/"));
}
