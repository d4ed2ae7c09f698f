/**
 * Owns the only thing with a time to live: the pointer of a channel (DESIGN.md §5).
 * Holds decoded pointers, never promises; a slower, older read never overwrites a newer one.
 */
import { channelKey } from "../bundle/keys.ts";
import { decodePointer, type Pointer } from "../bundle/pointer-format.ts";
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

/** How many channels an isolate remembers. */
const MAX_CHANNELS = 10_000;

/** A pointer as an isolate knows it. */
export interface KnownPointer {
  /** Null when the channel has none. */
  readonly pointer: Pointer | null;
  /** True when storage failed and this is what was known before. */
  readonly stale: boolean;
}

interface Held {
  readonly pointer: Pointer | null;
  /** When the read that gave it was begun. */
  readonly asOf: number;
  /** When a read after that failed; absent when none did. Until it is worth another try, nobody waits for storage. */
  readonly failedAt?: number;
}

/** Reads pointers through the isolate's memory. */
export class ChannelReader {
  readonly #store: BlobStore;
  readonly #clock: Clock;
  readonly #times: PointerTimes;
  readonly #held = new Map<string, Held>();

  constructor(store: BlobStore, clock: Clock = Date.now, times: PointerTimes = DEFAULT_POINTER_TIMES) {
    this.#store = store;
    this.#clock = clock;
    this.#times = times;
  }

  /** The pointer of a channel, no older than the times allow. Throws what storage threw when nothing recent is known. */
  async read(layer: string, channel: string): Promise<KnownPointer> {
    const held = this.#held.get(channelKey(layer, channel));
    const now = this.#clock();
    if (held !== undefined && now - held.asOf < this.#times.freshMs) {
      return { pointer: held.pointer, stale: false };
    }
    const isTriedLately = held?.failedAt !== undefined && now - held.failedAt < this.#times.freshMs;
    return isTriedLately && now - held.asOf < this.#times.staleMs
      ? { pointer: held.pointer, stale: true }
      : this.readNow(layer, channel);
  }

  /** Reads a pointer that will be asked for soon, if it would still be fresh then. */
  async readAhead(layer: string, channel: string): Promise<void> {
    if (this.#times.freshMs > 0) {
      await this.read(layer, channel);
    }
  }

  /** The same, from storage whatever is known; the last known one, marked, when storage fails. */
  async readNow(layer: string, channel: string): Promise<KnownPointer> {
    const key = channelKey(layer, channel);
    const begun = this.#clock();
    try {
      const bytes = await this.#store.getCurrent(key);
      // A channel that had a pointer keeps one: a miss is read once more before it is believed.
      const believed = bytes ?? (this.#held.get(key)?.pointer ? await this.#store.getCurrent(key) : null);
      const pointer = believed === null ? null : decodePointer(believed);
      this.#remember(key, { pointer, asOf: begun });
      return { pointer, stale: false };
    } catch (error) {
      const held = this.#held.get(key);
      if (held && begun - held.asOf < this.#times.staleMs) {
        this.#held.set(key, { ...held, failedAt: this.#clock() });
        return { pointer: held.pointer, stale: true };
      }
      throw error;
    }
  }

  #remember(key: string, read: Held): void {
    const held = this.#held.get(key);
    if (held && held.asOf > read.asOf) {
      return;
    }
    this.#held.delete(key);
    this.#held.set(key, read);
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MAX_CHANNELS) {
        return;
      }
      this.#held.delete(oldest);
    }
  }
}
