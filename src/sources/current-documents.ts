/**
 * Owns the only thing with a time to live: documents that change, pointers above all (DESIGN.md §5).
 * Holds decoded documents, never promises; a slower, older read never overwrites a newer one.
 */
import type { BlobStore } from "./blob-store.ts";

/** Where the time comes from: milliseconds since 1970. A parameter, so that tests move it. */
export type Clock = () => number;

/** How stale a pointer may be. */
export interface PointerTimes {
  /** Served from the isolate without a read, milliseconds. */
  readonly freshMs: number;
  /** How long the last known pointer is served while storage fails, milliseconds. */
  readonly staleMs: number;
}

/** Fresh for 5 s (bound of docs/operations.md: 10 s); an hour of storage failure is survived with what was known. */
export const DEFAULT_POINTER_TIMES: PointerTimes = { freshMs: 5_000, staleMs: 60 * 60_000 };

/** How many documents an isolate remembers. */
const MAX_DOCUMENTS = 10_000;

/** A document as an isolate knows it. */
export interface KnownDocument<T> {
  /** Null when there is none. */
  readonly document: T | null;
  /** True when storage failed and this is what was known before. */
  readonly stale: boolean;
}

/** What documents are read with. */
export interface DocumentParts<T> {
  readonly store: BlobStore;
  readonly clock: Clock;
  readonly times: PointerTimes;
  readonly decode: (bytes: Uint8Array) => T;
}

interface Held<T> {
  readonly document: T | null;
  /** When the read that gave it was begun. */
  readonly asOf: number;
  /** When a read after that failed; absent when none did. Until it is worth another try, nobody waits for storage. */
  readonly failedAt?: number;
}

/** Reads documents of one kind through the isolate's memory. */
export class CurrentDocuments<T> {
  readonly #parts: DocumentParts<T>;
  readonly #held = new Map<string, Held<T>>();

  constructor(parts: DocumentParts<T>) {
    this.#parts = parts;
  }

  /** A document, no older than the times allow. Throws what storage threw when nothing recent is known. */
  async read(key: string): Promise<KnownDocument<T>> {
    const { clock, times } = this.#parts;
    const held = this.#held.get(key);
    const now = clock();
    if (held !== undefined && now - held.asOf < times.freshMs) {
      return { document: held.document, stale: false };
    }
    const isTriedLately = held?.failedAt !== undefined && now - held.failedAt < times.freshMs;
    return isTriedLately && now - held.asOf < times.staleMs
      ? { document: held.document, stale: true }
      : this.readNow(key);
  }

  /** Reads a document that will be asked for soon, if it would still be fresh then. */
  async readAhead(key: string): Promise<void> {
    if (this.#parts.times.freshMs > 0) {
      await this.read(key);
    }
  }

  /** The same, from storage whatever is known; the last known one, marked, when storage fails. */
  async readNow(key: string): Promise<KnownDocument<T>> {
    const { store, clock, times, decode } = this.#parts;
    const begun = clock();
    try {
      const bytes = await store.getCurrent(key);
      // A channel that had a pointer keeps one: a miss is read once more before it is believed.
      const believed = bytes ?? (this.#held.get(key)?.document ? await store.getCurrent(key) : null);
      const document = believed === null ? null : decode(believed);
      this.#remember(key, { document, asOf: begun });
      return { document, stale: false };
    } catch (error) {
      const held = this.#held.get(key);
      if (held && begun - held.asOf < times.staleMs) {
        this.#held.set(key, { ...held, failedAt: clock() });
        return { document: held.document, stale: true };
      }
      throw error;
    }
  }

  #remember(key: string, read: Held<T>): void {
    const held = this.#held.get(key);
    if (held && held.asOf > read.asOf) {
      return;
    }
    this.#held.delete(key);
    this.#held.set(key, read);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_DOCUMENTS) {
        return;
      }
      this.#held.delete(oldest);
    }
  }
}
