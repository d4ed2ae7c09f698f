/** Owns what a run printed: bytes up to a limit, given back as text; never stops a run. */

import type { Room } from "./room.ts";

/** Where a program's output goes. */
export interface Sink {
  write(bytes: Uint8Array): void;
  writeText(text: string): void;
}

/** Bytes in one piece that grows with them: as many small writes take no more room than one large one. */
class Bytes {
  #buffer = new Uint8Array(0);
  length = 0;

  add(bytes: Uint8Array): void {
    const end = this.length + bytes.length;
    if (end > this.#buffer.length) {
      const grown = new Uint8Array(this.length === 0 ? end : Math.max(end, this.length * 2));
      grown.set(this.all());
      this.#buffer = grown;
    }
    this.#buffer.set(bytes, this.length);
    this.length = end;
  }

  all(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }
}

/** Collects one stream of output and keeps its beginning. */
export class OutputSink implements Sink {
  readonly #limit: number;
  readonly #kept = new Bytes();
  #cut = false;

  /** @param limit bytes of UTF-8 that are kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when something was left out. */
  get truncated(): boolean {
    return this.#cut;
  }

  write(bytes: Uint8Array): void {
    const room = this.#limit - this.#kept.length;
    if (bytes.length > room) {
      this.#cut = true;
    }
    if (room > 0 && bytes.length > 0) {
      this.#kept.add(bytes.subarray(0, room));
    }
  }

  writeText(text: string): void {
    if (text !== "") {
      this.write(new TextEncoder().encode(text));
    }
  }

  /** What was kept, as it was written. */
  bytes(): Uint8Array {
    return this.#kept.all();
  }

  /** What was kept, at most `limit` bytes of UTF-8, cut at a character's end; bytes that are no text become U+FFFD. */
  text(): string {
    // The last character of a cut stream may be half of one: dropped. One that the script itself left half is shown.
    const text = decode(this.#kept.all(), this.#cut ? "drop half" : "show half");
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= this.#limit) {
      return text;
    }
    this.#cut = true;
    return decode(bytes.subarray(0, this.#limit), "drop half");
  }
}

function decode(bytes: Uint8Array, end: "drop half" | "show half"): string {
  return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes, { stream: end === "drop half" });
}

/** Collects all that a program prints for another one of its run. Throws {@link NoRoom} when the run holds too much already. */
export class HeldOutput implements Sink {
  readonly #room: Room;
  readonly #held = new Bytes();

  constructor(room: Room) {
    this.#room = room;
  }

  write(bytes: Uint8Array): void {
    if (!this.#room.take(bytes.length)) {
      throw new NoRoom("Cannot allocate memory");
    }
    this.#held.add(bytes);
  }

  writeText(text: string): void {
    this.write(new TextEncoder().encode(text));
  }

  /** What was written, as it was. */
  bytes(): Uint8Array {
    return this.#held.all();
  }
}

/** Unwinds a program whose output nobody can hold. */
export class NoRoom extends Error {}
