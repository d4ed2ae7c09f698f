/** Owns what is remembered from one pack to the next, so that only what has changed is read, checked and compiled again. Never changes a result. */
import type { CheckedSkill, SkillInput } from "../check/check-skill.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Digest } from "../model/digest.ts";
import { BlobMap, type LazyBytes } from "./blob-map.ts";
import { FileDigests } from "./file-digests.ts";
import type { PackedSkill } from "./pack-skill.ts";
import type { PackageLayer } from "./python/packages.ts";

/** What a check said of a skill, as far as a pack needs it. */
export interface Verdict {
  /** Also of a skill that is left out; null when none could be read. */
  readonly name: string | null;
  /** Whether it can be served. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What became of one skill's files. */
export interface Remembered {
  readonly verdict: Verdict;
  /** Null until it was packed; a duplicate never is. */
  packed: PackedSkill | null;
  /** Checks the skill, if that was not done in this process. */
  checked(): CheckedSkill;
}

/** A packed skill without the bytes that lie in its files. */
export interface KeptSkill extends Omit<PackedSkill, "blobs"> {
  /** Blobs that are no file of the skill: its record, compiled scripts. */
  readonly made: readonly (readonly [Digest, LazyBytes])[];
}

/** What is kept of one skill: under a key that stands for its files, its directory's name and the problems in reading them. */
export interface KeptEntry {
  readonly key: string;
  readonly verdict: Verdict;
  readonly packed: KeptSkill | null;
}

interface Entry extends Remembered {
  readonly key: string;
  readonly input: SkillInput;
}

/** For packs with the same sandbox, limits, compiler and purpose, one after the other: a watch, or commands that keep it in a file (kept-memory.ts). */
export class PackMemory {
  readonly files: FileDigests;
  #hasNews = false;
  /** By the skill's real directory: the newest only. */
  readonly #entries = new Map<string, Entry>();
  readonly #kept: Map<string, KeptEntry>;
  /** What was made of wheels, by their digests. */
  readonly packageLayers = new Map<Digest, Promise<PackageLayer>>();

  constructor(files: FileDigests = new FileDigests(), kept: Iterable<readonly [string, KeptEntry]> = []) {
    this.files = files;
    this.#kept = new Map(kept);
  }

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
    const kept = this.#kept.get(real);
    if (kept?.key === key) {
      return this.#add(real, keptEntry(kept, input, check));
    }
    this.#hasNews = true;
    return this.#add(real, { key, input, ...fresh(check) });
  }

  #add(real: string, entry: Entry): Entry {
    this.#entries.set(real, entry);
    return entry;
  }

  /** Whether it knows more than was kept of it. */
  get hasNews(): boolean {
    return this.#hasNews || this.files.hasNews;
  }

  /** Forgets the skills that are not there any more. */
  keepOnly(reals: ReadonlySet<string>): void {
    this.#kept.clear();
    for (const real of this.#entries.keys()) {
      if (!reals.has(real)) {
        this.#entries.delete(real);
      }
    }
  }

  /** What can be kept of it, by the skill's real directory. */
  *entries(): Iterable<[string, KeptEntry]> {
    for (const [real, { key, verdict, packed, input }] of this.#entries) {
      yield [real, { key, verdict, packed: packed === null ? null : keptSkill(packed, input) }];
    }
  }
}

/** What is known of a skill that was never seen before. */
export function fresh(check: () => CheckedSkill): Remembered {
  const checked = check();
  const { name, skill, diagnostics } = checked;
  return { verdict: { name, ok: skill !== null, diagnostics }, packed: null, checked: () => checked };
}

function keptEntry({ key, verdict, packed }: KeptEntry, input: SkillInput, check: () => CheckedSkill): Entry {
  return { key, verdict, input, checked: check, packed: packed === null ? null : packedAgain(packed, input) };
}

function packedAgain({ entry, diagnostics, made }: KeptSkill, input: SkillInput): PackedSkill {
  const blobs = new BlobMap();
  for (const file of input.files.values()) {
    blobs.add(file.digest, file);
  }
  for (const [digest, bytes] of made) {
    blobs.add(digest, bytes);
  }
  return { entry, diagnostics, blobs };
}

function keptSkill({ entry, diagnostics, blobs }: PackedSkill, input: SkillInput): KeptSkill {
  const own = new Set([...input.files.values()].map(({ digest }) => digest));
  return { entry, diagnostics, made: [...blobs.sources()].filter(([digest]) => !own.has(digest)) };
}
