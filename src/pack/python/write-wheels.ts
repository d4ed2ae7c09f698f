/** Owns putting a directory of wheels in its place, whole. Never fetches or reads one. */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { SkillsError } from "../../model/errors.ts";
import { makeDirectory } from "../make-directory.ts";

/** Writes wheels by their names; takes the place of a directory that holds wheels only. Throws `output-exists` for any other. */
export function writeWheels(directory: string, wheels: ReadonlyMap<string, Uint8Array>): void {
  const others = existsSync(directory) ? readdirSync(directory).filter((name) => !name.endsWith(".whl")) : [];
  if (others.length > 0) {
    throw new SkillsError("output-exists", `Cannot write wheels to "${directory}": it holds "${others[0]}"`, {
      hint: "name a directory of its own with -o",
    });
  }
  const part = `${directory}.${process.pid}.part`;
  makeDirectory(dirname(directory));
  try {
    mkdirSync(part);
    for (const [name, bytes] of wheels) {
      writeFileSync(join(part, name), bytes);
    }
    rmSync(directory, { recursive: true, force: true });
    renameSync(part, directory);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}
