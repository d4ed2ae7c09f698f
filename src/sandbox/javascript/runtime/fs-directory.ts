/** Owns what `opendir` gives: the entries of a directory one by one; never how they are found. */
import type { FsSync } from "./fs-sync.ts";
import type { Dirent } from "./fs-types.ts";

export class Dir {
  readonly path: string;
  readonly #entries: readonly Dirent[];
  #at = 0;
  #closed = false;

  constructor(sync: FsSync, path: string, options?: object) {
    sync.openableSync(path);
    this.path = path;
    this.#entries = sync.readdirSync(path, { ...options, withFileTypes: true }) as Dirent[];
  }

  readSync(): Dirent | null {
    if (this.#closed) {
      throw Object.assign(new Error("Directory handle was closed"), { code: "ERR_DIR_CLOSED" });
    }
    return this.#entries[this.#at++] ?? null;
  }
  read(done?: (error: unknown, entry?: Dirent | null) => void): Promise<Dirent | null> | undefined {
    return settled(() => this.readSync(), done);
  }
  closeSync(): void {
    if (this.#closed) {
      throw Object.assign(new Error("Directory handle was closed"), { code: "ERR_DIR_CLOSED" });
    }
    this.#closed = true;
  }
  close(done?: (error: unknown) => void): Promise<void> | undefined {
    return settled(() => this.closeSync(), done);
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<Dirent> {
    try {
      for (let entry = this.readSync(); entry !== null; entry = this.readSync()) {
        yield entry;
      }
    } finally {
      this.#closed = true;
    }
  }
  [Symbol.dispose](): void {
    this.#closed = true;
  }
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
  }
}

/** As a promise, unless there is somebody to call. */
function settled<T>(work: () => T, done?: (error: unknown, value?: T) => void): Promise<T> | undefined {
  const promise = (async () => work())();
  if (done === undefined) {
    return promise;
  }
  promise.then(
    (value) => setTimeout(done, 0, null, value),
    (error: unknown) => setTimeout(done, 0, error),
  );
  return undefined;
}
