/** Owns the files of one run in its isolate, and what a script reads and changes them with. A module of its own: many scripts need none of it. */
import type { RunLimits } from "../../model/run.ts";
import { type Changes, collectChanges } from "../files/changes.ts";
import { applyDelta, type Delta, pathsOf, takeDelta } from "../files/delta.ts";
import { FileError } from "../files/errors.ts";
import type { Device } from "../files/inode.ts";
import { type Layout, layOut, type PlacedFile } from "../files/layout.ts";
import { resolvePath } from "../files/paths.ts";
import { sealedDir } from "../files/sealed.ts";
import { Descriptors, type Standard } from "./runtime/descriptors.ts";
import { makeFs } from "./runtime/fs.ts";
import { makeFsSync } from "./runtime/fs-sync.ts";
import type { Loop } from "./runtime/loop.ts";
import type { Timers } from "./runtime/timers.ts";

export { matchesGlob } from "./runtime/fs-glob.ts";

export interface RunFilesOptions {
  readonly skill: readonly PlacedFile[];
  readonly inputs: readonly PlacedFile[];
  /** What the run has changed before. */
  readonly delta: Delta;
  readonly limits: RunLimits;
  readonly terminal: Readonly<Record<string, Device>>;
  readonly now: () => number;
}

export class RunFiles {
  readonly #layout: Layout;
  readonly #limits: RunLimits;
  /** What the box begins with; what has been written since then it has to be told of. */
  readonly #initial: Set<string>;
  readonly #before: ReadonlySet<string>;

  constructor({ skill, inputs, delta, limits, terminal, now }: RunFilesOptions) {
    this.#limits = limits;
    this.#layout = layOut({ skill, inputs, quota: limits.file_bytes, usr: sealedDir(), now, terminal });
    this.#initial = pathsOf(this.#layout.files);
    for (const { path } of delta.files) {
      this.#initial.delete(path);
    }
    applyDelta(this.#layout.files, delta, "shared");
    this.#before = pathsOf(this.#layout.files);
  }

  /** The modules `fs` and `fs/promises`, and the synchronous functions that they are made of. */
  modules(standard: Standard, cwd: () => string, loop: Loop, timers: Timers) {
    const { files } = this.#layout;
    const descriptors = new Descriptors(files.store, standard);
    const sync = makeFsSync({ files, descriptors, cwd });
    return { sync, ...makeFs(sync, descriptors, loop, timers, cwd) };
  }

  /** What is to come back, and whether there was no room for more. */
  changes(): Changes & { readonly isFull: boolean } {
    const changes = collectChanges(this.#layout, this.#limits);
    return { ...changes, isFull: changes.cut || this.isFull };
  }

  /** True once there was no room for what the script wrote. */
  get isFull(): boolean {
    return this.#layout.files.store.exhausted;
  }

  /** Everything that was changed since the script began. */
  delta(): Delta {
    return takeDelta(this.#layout.files, this.#before);
  }

  /** What another program of the run has to know; {@link spawned} takes what it did. */
  spawning(): Delta {
    return takeDelta(this.#layout.files, this.#initial);
  }

  spawned(delta: Delta): void {
    applyDelta(this.#layout.files, delta, "written");
  }

  /** The directory that a path leads to. Throws as `process.chdir` does. */
  directory(path: string, from: string): string {
    try {
      const full = this.#layout.files.realpath(resolvePath(from, path));
      if (this.#layout.files.find(full).kind === "dir") {
        return full;
      }
    } catch (error) {
      throw error instanceof FileError ? new FileError(error.code, "chdir", from, path) : error;
    }
    throw new FileError("ENOTDIR", "chdir", from, path);
  }
}
