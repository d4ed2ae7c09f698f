/** Owns watching directories for changes: one call for a burst of them, never two at a time. */

import { once } from "node:events";
import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { isLeftover } from "../model/leftovers.ts";

/** How long it must be quiet before a change is acted on, milliseconds: editors write a file in several steps. */
const QUIET_MS = 100;

/**
 * A watch that begins when it is made, so that no change between the first reading and the first wait is missed. It watches each directory
 * rather than the tree: Node's own recursive watch loses a file on Linux when an editor renames another into its place.
 */
export class DirectoryWatch {
  readonly #roots: readonly string[];
  /** What the watcher's owner writes itself. */
  readonly #except: string;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #onError: (error: Error) => void;
  #onChange: (() => Promise<void>) | null = null;
  #isDirty = false;
  #timer: NodeJS.Timeout | undefined;
  #working = Promise.resolve();

  /** Begins to watch the directories that are there, save `except`; `onError` is told when some changes cannot be seen. */
  constructor(directories: readonly string[], except: string, onError: (error: Error) => void) {
    this.#roots = directories;
    this.#except = except;
    this.#onError = onError;
    this.#watchAll();
  }

  /** Calls `onChange` after each burst of changes, until the signal; ends when the last call has ended. */
  async follow(signal: AbortSignal, onChange: () => Promise<void>): Promise<void> {
    this.#onChange = onChange;
    if (this.#isDirty) {
      this.#schedule();
    }
    if (!signal.aborted) {
      await once(signal, "abort");
    }
    this.close();
    await this.#working;
  }

  /** Ends it; what was seen and not acted on is forgotten. */
  close(): void {
    clearTimeout(this.#timer);
    this.#onChange = null;
    for (const directory of this.#watchers.keys()) {
      this.#forget(directory);
    }
  }

  #schedule(): void {
    this.#isDirty = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // Directories may have come and gone.
      this.#watchAll();
      const onChange = this.#onChange;
      if (onChange !== null) {
        this.#isDirty = false;
        this.#working = this.#working.then(onChange);
      }
    }, QUIET_MS);
  }

  #watchAll(): void {
    const found = new Set(this.#roots.flatMap((root) => [root, ...directoriesBelow(root, this.#except)]));
    for (const directory of this.#watchers.keys()) {
      if (!found.has(directory)) {
        this.#forget(directory);
      }
    }
    for (const directory of found) {
      if (!this.#watchers.has(directory)) {
        this.#watch(directory);
      }
    }
  }

  #watch(directory: string): void {
    const failed = (error: NodeJS.ErrnoException): void => {
      this.#forget(directory);
      // What is gone is seen as a change of the directory it was in.
      if (error.code !== "ENOENT") {
        this.#onError(error);
      }
    };
    try {
      this.#watchers.set(directory, watch(directory, () => this.#changed(directory)).on("error", failed));
    } catch (error) {
      failed(error as NodeJS.ErrnoException);
    }
  }

  #changed(directory: string): void {
    // A directory that was removed and made again has the same path and is another one: it is watched anew.
    this.#schedule();
    if (readDirectories(directory) === null) {
      this.#forget(directory);
    }
  }

  #forget(directory: string): void {
    this.#watchers.get(directory)?.close();
    this.#watchers.delete(directory);
  }
}

function directoriesBelow(directory: string, except: string): string[] {
  const names = readDirectories(directory) ?? [];
  const directories = names.map((name) => join(directory, name)).filter((path) => path !== except);
  return directories.flatMap((path) => [path, ...directoriesBelow(path, except)]);
}

/** The directories in a directory that may hold something to pack; null when it is not there. */
function readDirectories(directory: string): string[] | null {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !isLeftover(entry.name)).map((entry) => entry.name);
  } catch {
    return null;
  }
}
