/** Owns bytes on their way from a writer to a reader; never who they are. */
import type { Room } from "../room.ts";

/** What a piece of bytes takes beside them. */
const PIECE_BYTES = 128;

/** First in, first out. */
export class ByteQueue {
  readonly #room: Room;
  #chunks: Uint8Array[] = [];
  #head = 0;
  #length = 0;
  #isDropped = false;
  /** True when nothing more will come. */
  ended = false;

  /** @param room for what nobody has taken out yet */
  constructor(room: Room) {
    this.#room = room;
  }

  get length(): number {
    return this.#length;
  }

  /** False when there is no room; then nothing was added. */
  push(bytes: Uint8Array): boolean {
    if (bytes.length === 0 || this.#isDropped) {
      return true;
    }
    if (!this.#room.take(bytes.length + PIECE_BYTES)) {
      return false;
    }
    this.#chunks.push(bytes.slice());
    this.#length += bytes.length;
    return true;
  }

  /** Moves bytes into a buffer; gives how many. */
  take(into: Uint8Array): number {
    let at = 0;
    for (let chunk = this.#chunks[0]; chunk !== undefined && at < into.length; chunk = this.#chunks[0]) {
      const piece = chunk.subarray(this.#head, this.#head + into.length - at);
      into.set(piece, at);
      at += piece.length;
      this.#head += piece.length;
      if (this.#head === chunk.length) {
        this.#chunks.shift();
        this.#head = 0;
        this.#room.give(chunk.length + PIECE_BYTES);
      }
    }
    this.#length -= at;
    return at;
  }

  /** Nobody reads from it any more: what comes goes nowhere. */
  drop(): void {
    this.#isDropped = true;
    for (const chunk of this.#chunks) {
      this.#room.give(chunk.length + PIECE_BYTES);
    }
    this.#chunks = [];
    this.#head = 0;
    this.#length = 0;
  }
}
