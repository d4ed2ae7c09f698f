/** Owns where the memory of packs lies between commands: a file of the state directory. A command never fails for it. */

import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { sha256 } from "../pack/hash.ts";
import { decodeMemory, encodeMemory } from "../pack/kept-memory.ts";
import { makeDirectory } from "../pack/make-directory.ts";
import { PackMemory } from "../pack/pack-memory.ts";
import { SHELL_SYNTAX } from "../pack/shell-syntax.ts";

const FILE = "pack-cache.bin";

const PACKAGE = fileURLToPath(new URL("../..", import.meta.url));
/** The rooms that decide what a pack gives. */
const ROOMS = ["model", "check", "bundle", "pack"].map((room) => join(PACKAGE, "src", room));

/** What earlier commands with this state left; empty when that is nothing, or not this program's. */
export function openPackCache(state: string): PackMemory {
  try {
    return decodeMemory(readFileSync(join(state, FILE)), programStamp()) ?? new PackMemory();
  } catch {
    return new PackMemory();
  }
}

/** Leaves what is new in it for later commands, whole or not at all. */
export function keepPackCache(state: string, memory: PackMemory): void {
  if (!memory.hasNews) {
    return;
  }
  const file = join(state, FILE);
  const made = `${file}.${process.pid}`;
  try {
    makeDirectory(dirname(file));
    writeFileSync(made, encodeMemory(memory, programStamp()), { mode: 0o600 });
    renameSync(made, file);
  } catch {
    // It only saves reading something twice: a full disk is told by who needs the room.
    removeIfThere(made);
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The directory is none.
  }
}

/** Changes with the program's code: whoever works on edge-skills itself has no new version for each edit. */
function programStamp(): string {
  const files = ROOMS.flatMap((room) =>
    readdirSync(room, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const stamps = [join(PACKAGE, "package.json"), fileURLToPath(SHELL_SYNTAX), ...files].map((file) => {
    const { size, mtimeMs, ctimeMs } = statSync(file);
    return [file, size, mtimeMs, ctimeMs];
  });
  return sha256(JSON.stringify([process.version, stamps]));
}
