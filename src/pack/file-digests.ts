/** Owns knowing the digest of a file without reading it again, by what the system says of it. Never says it of a file that may have changed since. */
import { lstatSync, type Stats } from "node:fs";
import type { InputFile } from "../check/check-skill.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { sha256 } from "./hash.ts";
import { readRegularFile } from "./read-file.ts";

/** What the system says of a file, and its digest as it was then. */
export type FileNote = readonly [stamp: string, size: number, digest: Digest];

/** A clock of a file system may stand still for this long (FAT): what is younger may change without looking changed. */
const COARSEST_CLOCK_MS = 2_000;

/** What was read before, by real path. */
export class FileDigests {
  readonly #notes: Map<string, FileNote>;
  readonly #now: () => number;
  readonly #used = new Set<string>();
  #hasNews = false;

  constructor(notes: Iterable<readonly [string, FileNote]> = [], now: () => number = Date.now) {
    this.#notes = new Map(notes);
    this.#now = now;
  }

  /** A file that has not changed since it was read; its bytes are read when they are needed. Null when it has to be read. */
  find(real: string): InputFile | null {
    const note = this.#notes.get(real);
    if (note === undefined) {
      return null;
    }
    const stats = lstatSync(real, { throwIfNoEntry: false });
    const [stamp, size, digest] = note;
    if (!stats?.isFile() || stampOf(stats) !== stamp) {
      this.#notes.delete(real);
      return null;
    }
    this.#used.add(real);
    return new UnreadFile(real, size, digest);
  }

  /** Notes what was read, unless it is so young that another change might not show. */
  note(real: string, stats: Stats, digest: Digest): void {
    if (this.#now() - Math.max(stats.mtimeMs, stats.ctimeMs) > COARSEST_CLOCK_MS) {
      this.#notes.set(real, [stampOf(stats), stats.size, digest]);
      this.#used.add(real);
      this.#hasNews = true;
    }
  }

  /** Whether something was noted since it was made. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** What the packs so far have met. */
  *notes(): Iterable<[string, FileNote]> {
    for (const [real, note] of this.#notes) {
      if (this.#used.has(real)) {
        yield [real, note];
      }
    }
  }
}

/** The time of a change is in it: who sets a file's other time back cannot set back that. */
function stampOf({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join(" ");
}

class UnreadFile implements InputFile {
  readonly size: number;
  readonly digest: Digest;
  readonly #real: string;
  #bytes: Uint8Array | null = null;

  constructor(real: string, size: number, digest: Digest) {
    this.#real = real;
    this.size = size;
    this.digest = digest;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#read();
    return this.#bytes;
  }

  #read(): Uint8Array {
    const bytes = this.#readAgain();
    if (bytes === null || sha256(bytes) !== this.digest) {
      throw new SkillsError("files-changed", `"${this.#real}" was changed while it was packed`, {
        hint: "run the command again",
      });
    }
    return bytes;
  }

  #readAgain(): Uint8Array | null {
    try {
      const reading = readRegularFile(this.#real, this.size);
      return "bytes" in reading ? reading.bytes : null;
    } catch {
      return null;
    }
  }
}
