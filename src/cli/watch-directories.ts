/** Owns watching directories for changes: one call for a burst of them, never two at a time. */

import { once } from "node:events";
import { watch } from "node:fs";

/** How long it must be quiet before a change is acted on, milliseconds: editors write a file in several steps. */
const QUIET_MS = 100;

/** Calls `onChange` after each burst of changes below the directories, until the signal. */
export async function watchDirectories(
  directories: readonly string[],
  signal: AbortSignal,
  onChange: () => Promise<void>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let working = Promise.resolve();
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      working = working.then(onChange);
    }, QUIET_MS);
  };
  const watchers = directories.map((directory) => watch(directory, { recursive: true }, changed));
  if (!signal.aborted) {
    await once(signal, "abort");
  }
  for (const watcher of watchers) {
    watcher.close();
  }
  clearTimeout(timer);
  await working;
}
