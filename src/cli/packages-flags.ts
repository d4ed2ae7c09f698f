/** Owns where the Python packages of a call lie: wheels that a flag or the settings name, and the lock beside the settings. */
import { dirname, join, resolve } from "node:path";
import { Option } from "commander";
import type { PackMemory } from "../pack/pack-memory.ts";
import { readLock } from "../pack/python/lock.ts";
import { PythonPackages } from "../pack/python/packages.ts";
import type { CommandContext, Flags } from "./command.ts";
import { optionalText, textFlag } from "./flags.ts";
import { readSettings } from "./settings.ts";

export const WHEELS_FLAG = new Option(
  "--wheels <dir>",
  "directory of wheels: the Python packages that scripts may import; edge-skills.lock holds their digests",
);

const LOCK_NAME = "edge-skills.lock";

/** The lock's place: beside the settings. */
export function lockPath(flags: Flags, { cwd }: CommandContext): string {
  return join(dirname(resolve(cwd, textFlag(flags, "config"))), LOCK_NAME);
}

/** The directory of wheels that is named; null when none is. A path in the settings is relative to these. */
export function wheelsDirectory(flags: Flags, context: CommandContext): string | null {
  const named = optionalText(flags, "wheels");
  if (named !== null) {
    return resolve(context.cwd, named);
  }
  const { wheels } = readSettings(flags, context).config;
  return wheels === null ? null : resolve(dirname(lockPath(flags, context)), wheels);
}

/** The packages of a call; null when it names no wheels. Throws `directory-missing`, or `packages-invalid` for wheels that are not those of the lock. */
export function openPackages(
  flags: Flags,
  context: CommandContext,
  memory: PackMemory | null = null,
): PythonPackages | null {
  const directory = wheelsDirectory(flags, context);
  if (directory === null) {
    return null;
  }
  const file = lockPath(flags, context);
  const lock = readLock(file);
  return PythonPackages.open(directory, lock === null ? null : { file, lock }, memory?.packageLayers);
}
