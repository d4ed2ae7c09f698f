/** Owns what a process remembers from one pack to the next, so that only what has changed is checked and compiled again. Never changes a result. */
import type { CheckedSkill, SkillInput } from "../check/check-skill.ts";
import type { Digest } from "../model/digest.ts";
import type { PackedSkill } from "./pack-skill.ts";
import type { PackageLayer } from "./python/packages.ts";

/** What became of one skill's files. */
export interface Remembered {
  readonly checked: CheckedSkill;
  /** Null until it was packed; a duplicate never is. */
  packed: PackedSkill | null;
}

interface Entry extends Remembered {
  readonly key: string;
  packed: PackedSkill | null;
}

/** For packs with the same sandbox, limits, compiler and purpose, one after the other: a watch. */
export class PackMemory {
  /** By the skill's real directory: the newest only. */
  readonly #entries = new Map<string, Entry>();
  /** What was made of wheels, by their digests. */
  readonly packageLayers = new Map<Digest, Promise<PackageLayer>>();

  /** What is remembered of a skill whose files, directory's name, problems in reading and packages are exactly these; else a new entry, by `check`. */
  recall(
    real: string,
    input: SkillInput,
    { packages, check }: { readonly packages: Digest | null; readonly check: () => CheckedSkill },
  ): Remembered {
    const key = JSON.stringify([input.directory, input.digest, input.found ?? [], packages]);
    const known = this.#entries.get(real);
    if (known?.key === key) {
      return known;
    }
    const entry: Entry = { key, checked: check(), packed: null };
    this.#entries.set(real, entry);
    return entry;
  }

  /** Forgets the skills that are not there any more. */
  keepOnly(reals: ReadonlySet<string>): void {
    for (const real of this.#entries.keys()) {
      if (!reals.has(real)) {
        this.#entries.delete(real);
      }
    }
  }
}
