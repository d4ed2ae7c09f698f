/** Owns the output of a process: kept up to its limit, then read and dropped, so that nothing blocks. */
import type { Readable } from "node:stream";

export class OutputPipe {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  isCut = false;
  readonly #stream: Readable;
  readonly #pieces: Buffer[] = [];
  #left: number;

  constructor(stream: Readable, limit: number) {
    this.#stream = stream;
    this.#left = limit;
    this.ended = new Promise((resolve) => {
      stream.once("close", resolve);
    });
    stream.on("data", (piece: Buffer) => this.#take(piece));
    stream.on("error", () => undefined);
  }

  /** What came, as text; a character that was cut in two is left out. */
  text(): string {
    const bytes = Buffer.concat(this.#pieces);
    return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes, { stream: this.isCut });
  }

  /** Takes no more. */
  close(): void {
    this.#stream.destroy();
  }

  #take(piece: Buffer): void {
    this.isCut ||= piece.length > this.#left;
    this.#pieces.push(piece.subarray(0, this.#left));
    this.#left -= Math.min(piece.length, this.#left);
  }
}
