/** Owns how many bytes a run holds on their way between its programs: in pipes, sockets, inputs, outputs; never the bytes. */

/** Room for bytes, all of a run's or the part that one of its programs has taken of it. */
export class Room {
  readonly #limit: number;
  readonly #whole: Room | null;
  readonly #onFull: () => void;
  #taken = 0;

  /**
   * @param limit bytes
   * @param onFull told when there is none left
   */
  constructor(limit: number, onFull: () => void, whole: Room | null = null) {
    this.#limit = limit;
    this.#onFull = onFull;
    this.#whole = whole;
  }

  /** False when there is no room for so many more bytes. */
  take(bytes: number): boolean {
    if (this.#taken + bytes > this.#limit || this.#whole?.take(bytes) === false) {
      this.#onFull();
      return false;
    }
    this.#taken += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    this.#whole?.give(bytes);
  }

  /** A part of it, which one program takes and gives back with its end. */
  part(): Room {
    return new Room(Number.POSITIVE_INFINITY, () => undefined, this);
  }

  /** Gives back all that was taken. */
  close(): void {
    this.give(this.#taken);
  }
}
