/** Owns when a skill's bytes are asked for: with the file that is opened come others beside it. Never what is in them. */
import type { RunSkillFile } from "../../model/run.ts";
import { type ByteCache, readThrough } from "../byte-cache.ts";
import { FileError } from "../files/errors.ts";
import type { Absent } from "../files/inode.ts";
import type { PlacedFile } from "../files/layout.ts";
import { directoryName } from "../files/paths.ts";
import type { ChildHost } from "../protocol.ts";

/** What comes along with a file: others of its directory, so that many small files are one question. Bytes each, and all together. */
const LARGEST_BESIDE = 256 << 10;
const MOST_BESIDE = 2 << 20;

/**
 * Files whose mode depends on their first bytes, as modes are no data: what may be a program and does not lie below `scripts/`. They are
 * asked for before the run begins.
 */
const PROGRAM = /^(?!scripts\/)(?:.*\/)?(?:[^./]+|.*\.(?:sh|bash|py|js|mjs|cjs|ts|pl|rb))$/;

/** The skill's files of one run. */
export class SkillBytes {
  /** Why bytes did not come; the run is not the skill's any more then. */
  failure: string | null = null;
  readonly #files: readonly RunSkillFile[];
  readonly #cache: ByteCache;
  readonly #host: ChildHost;

  constructor(files: readonly RunSkillFile[], cache: ByteCache, host: ChildHost) {
    this.#files = files;
    this.#cache = cache;
    this.#host = host;
  }

  /** The files as they lie before the run begins: those that are known already have their bytes. */
  async place(): Promise<PlacedFile<Uint8Array | Absent>[]> {
    const early = this.#files.filter(({ path }) => PROGRAM.test(path)).map(({ digest }) => digest);
    const came = await readThrough(this.#cache, early, (missing) => this.#host.readFiles(missing));
    const programs = new Map(early.map((digest, i) => [digest, came[i]]));
    return this.#files.map((file) => ({
      path: file.path,
      bytes: programs.get(file.digest) ?? this.#cache.get(file.digest) ?? this.#absent(file),
    }));
  }

  #absent(file: RunSkillFile): Absent {
    return { size: file.size, bring: () => this.#bring(file) };
  }

  async #bring(file: RunSkillFile): Promise<Uint8Array> {
    const wanted = [file.digest, ...this.#beside(file)];
    try {
      const [bytes] = await readThrough(this.#cache, wanted, (missing) => this.#host.readFiles(missing));
      return bytes ?? new Uint8Array(0);
    } catch (error) {
      this.failure ??= error instanceof Error ? error.message : String(error);
      throw new FileError("EIO", "open", file.path);
    }
  }

  /** Files of the same directory that nobody has asked for yet. */
  #beside(file: RunSkillFile) {
    const directory = directoryName(`/${file.path}`);
    let bytes = 0;
    return this.#files
      .filter(({ path, size, digest }) => {
        const isBeside = size <= LARGEST_BESIDE && directoryName(`/${path}`) === directory;
        if (!isBeside || bytes + size > MOST_BESIDE || this.#cache.get(digest) !== undefined) {
          return false;
        }
        bytes += size;
        return true;
      })
      .map(({ digest }) => digest);
  }
}
