/** Owns the roots of a pack and which paths lie below them; nothing outside is read. Never follows a link but a root's own. */
import { realpathSync, statSync } from "node:fs";
import { dirname, resolve, sep } from "node:path";
import { SkillsError } from "../model/errors.ts";

/** A directory that skills are looked for in. */
export interface Root {
  /** Absolute, as it was given. */
  readonly path: string;
  /** The same without links. */
  readonly real: string;
}

/** Opens directories as roots. Throws `directory-missing` for what is none. */
export function openRoots(paths: readonly string[]): Root[] {
  return paths.map((path) => {
    const absolute = resolve(path);
    try {
      const real = realpathSync(absolute);
      if (statSync(real).isDirectory()) {
        return { path: absolute, real };
      }
    } catch (cause) {
      const isMissing = cause instanceof Error && "code" in cause && cause.code === "ENOENT";
      const why = isMissing ? "there is none" : cause instanceof Error ? cause.message : String(cause);
      throw new SkillsError("directory-missing", `Cannot read the directory "${path}": ${why}`, { cause });
    }
    throw new SkillsError("directory-missing", `"${path}" is not a directory`);
  });
}

/** Tells whether a real path is `directory` or lies below it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** Where links may lead. */
export class Territory {
  readonly #roots: readonly Root[];

  constructor(roots: readonly Root[]) {
    this.#roots = roots;
  }

  /** The root that a real path lies below, the innermost; null outside. */
  rootOf(real: string): Root | null {
    const around = this.#roots.filter((root) => isWithin(root.real, real));
    return around.reduce<Root | null>(
      (best, root) => (best && best.real.length >= root.real.length ? best : root),
      null,
    );
  }

  /** A path outside that is on the way to a root, or another name of one; null when it leads elsewhere. */
  passage(path: string): string | null {
    const named = this.#roots.find((root) => root.path === path || root.real === path);
    if (named) {
      return named.real;
    }
    return this.#roots.some((root) => isWithin(path, dirname(root.real))) ? path : null;
  }
}
