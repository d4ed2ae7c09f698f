/** Owns what a run printed: bytes up to a limit, given back as text; never stops a run. */

/** Where a program's output goes. */
export interface Sink {
  write(bytes: Uint8Array): void;
  writeText(text: string): void;
}

/** Collects one stream of output and keeps its beginning. */
export class OutputSink implements Sink {
  readonly #limit: number;
  readonly #chunks: Uint8Array[] = [];
  #kept = 0;
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
    const room = this.#limit - this.#kept;
    if (bytes.length > room) {
      this.#cut = true;
    }
    if (room > 0 && bytes.length > 0) {
      const piece = bytes.slice(0, room);
      this.#chunks.push(piece);
      this.#kept += piece.length;
    }
  }

  writeText(text: string): void {
    if (text !== "") {
      this.write(new TextEncoder().encode(text));
    }
  }

  /** What was kept, as it was written. */
  bytes(): Uint8Array {
    const all = new Uint8Array(this.#kept);
    let at = 0;
    for (const chunk of this.#chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  /** What was kept, at most `limit` bytes of UTF-8, cut at a character's end; bytes that are no text become U+FFFD. */
  text(): string {
    const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
    let text = "";
    for (const chunk of this.#chunks) {
      text += decoder.decode(chunk, { stream: true });
    }
    // The last character of a cut stream may be half of one: dropped. One that the script itself left half is shown.
    text += this.#cut ? "" : decoder.decode();
    const bytes = new TextEncoder().encode(text);
    if (bytes.length <= this.#limit) {
      return text;
    }
    this.#cut = true;
    return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes.subarray(0, this.#limit), {
      stream: true,
    });
  }
}
