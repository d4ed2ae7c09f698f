/**
 * Owns the npm packages that lie in the `node_modules` of a skill, for the compiler of its scripts. They are no files of the skill: none is
 * packed as it is. Never looks outside of the skill's directory.
 */
import { readdirSync, realpathSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { slashed } from "../ignore-rules.ts";
import { readRegularFile } from "../read-file.ts";

export const NPM_DIRECTORY = "node_modules";

/** More than any source file that somebody imports. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** The names of the packages in a `node_modules`; none when it cannot be read. */
export function npmPackageNames(directory: string): string[] {
  return namesIn(directory).flatMap((name) =>
    name.startsWith("@") ? namesIn(join(directory, name)).map((part) => `${name}/${part}`) : [name],
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
}

/** The files of a skill's packages. Each is read once. */
export class NpmPackages {
  /** The skill's directory, without links. */
  readonly root: string;
  readonly #read = new Map<string, Uint8Array | null>();

  constructor(root: string) {
    this.root = root;
  }

  /** A file by its path relative to the skill; null when it is none of a package in the skill. */
  read(path: string): Uint8Array | null {
    const known = this.#read.get(path);
    if (known !== undefined) {
      return known;
    }
    const bytes = this.pathOf(join(this.root, path)) === null ? null : readOrNull(join(this.root, path));
    this.#read.set(path, bytes);
    return bytes;
  }

  /** The path, relative to the skill, of a file that lies in a package of the skill, links followed; null for any other. */
  pathOf(absolute: string): string | null {
    const real = realOrNull(absolute);
    const path = real === null ? ".." : slashed(relative(this.root, real));
    return path.startsWith("../") || posix.isAbsolute(path) || !path.split("/").includes(NPM_DIRECTORY) ? null : path;
  }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function readOrNull(path: string): Uint8Array | null {
  try {
    const reading = readRegularFile(path, MAX_FILE_BYTES);
    return "bytes" in reading ? reading.bytes : null;
  } catch {
    return null;
  }
}
