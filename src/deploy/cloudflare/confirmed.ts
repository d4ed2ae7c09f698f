/** Owns remembering what Cloudflare confirmed a moment ago, across processes: its listing may not have it yet. Never believes an old note. */

import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectory } from "../../pack/make-directory.ts";
import { LAG_MS } from "../work.ts";

/** What was confirmed. A prune that removes any of it leaves a note for as long, so that a deploy then uploads everything. */
export interface Confirmed {
  has(key: string): boolean;
  add(keys: readonly string[]): void;
}

/** Keeps it in a file: a line for each answer, so that a process that is killed loses at most what it was not told. */
export class ConfirmedFile implements Confirmed {
  readonly #file: string;
  readonly #place: string;
  readonly #now: () => number;
  readonly #keys = new Set<string>();

  /** Reads what still counts for a place; a file of which nothing counts any more is removed. */
  constructor(file: string, place: string, now: () => number = Date.now) {
    this.#file = file;
    this.#place = place;
    this.#now = now;
    const lines = readLines(file).filter(({ at }) => at > now() - LAG_MS && at <= now());
    for (const key of lines.filter((line) => line.place === place).flatMap(({ keys }) => keys)) {
      this.#keys.add(key);
    }
    if (lines.length === 0) {
      rmSync(file, { force: true });
    }
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(keys: readonly string[]): void {
    for (const key of keys) {
      this.#keys.add(key);
    }
    try {
      makeDirectory(dirname(this.#file));
      appendFileSync(this.#file, `${JSON.stringify({ at: this.#now(), place: this.#place, keys })}\n`);
    } catch {
      // It saves sending something twice; a deploy does not fail for it.
    }
  }
}

interface Line {
  readonly at: number;
  readonly place: string;
  readonly keys: readonly string[];
}

/** The last line may be cut off. */
function readLines(file: string): Line[] {
  try {
    return readFileSync(file, "utf8").split("\n").flatMap(parseLine);
  } catch {
    return [];
  }
}

function parseLine(text: string): Line[] {
  try {
    const { at, place, keys } = JSON.parse(text) as Partial<Record<keyof Line, unknown>>;
    return typeof at === "number" && typeof place === "string" && Array.isArray(keys)
      ? [{ at, place, keys: keys.map(String) }]
      : [];
  } catch {
    return [];
  }
}
