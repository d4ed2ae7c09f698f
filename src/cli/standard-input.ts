/** Owns the standard input that a command hands on. Never waits for somebody who has nothing to say. */
import type { Readable } from "node:stream";

/**
 * Standard input, read beside whatever else a command does first. A terminal, and a pipe into which nothing was written by the time
 * it is needed, count as empty: a command that was started with an open pipe must not hang.
 */
export class StandardInput {
  readonly #stream: (Readable & { readonly isTTY?: boolean; unref?: () => unknown }) | null;
  readonly #pieces: Buffer[] = [];
  readonly #ended: Promise<void>;
  #hasEnded = false;

  constructor(stream: Readable & { readonly isTTY?: boolean; unref?: () => unknown }) {
    this.#stream = stream.isTTY ? null : stream;
    this.#ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true;
        resolve();
      };
      // A descriptor that is closed or cannot be read is an empty one.
      this.#stream?.once("end", end).once("error", end).once("close", end);
      this.#stream?.on("data", (piece: Buffer | string) => this.#pieces.push(Buffer.from(piece)));
    });
  }

  /** All of it as text. */
  async text(): Promise<string> {
    if (this.#pieces.length > 0 && !this.#hasEnded) {
      await this.#ended;
    }
    this.close();
    return Buffer.concat(this.#pieces).toString("utf8");
  }

  /** Lets go of the stream, so that it keeps no process alive. */
  close(): void {
    this.#stream?.pause();
    this.#stream?.unref?.();
  }
}
