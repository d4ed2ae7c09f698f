/** Owns the texts that move a terminal's cursor, as `readline` writes them; never what a terminal makes of them. */

interface Stream {
  write(text: string, done?: () => void): unknown;
}

type Done = () => void;

/** How far a line or screen is cleared: before the cursor, behind it, or all. */
type Direction = -1 | 0 | 1;

export const codes = {
  line: (direction: Direction) => `\x1b[${direction < 0 ? 1 : direction > 0 ? 0 : 2}K`,
  below: () => "\x1b[0J",
  to: (x: number, y?: number) => (y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`),
  by: (x: number, y: number) =>
    (x === 0 ? "" : `\x1b[${Math.abs(x)}${x < 0 ? "D" : "C"}`) +
    (y === 0 ? "" : `\x1b[${Math.abs(y)}${y < 0 ? "A" : "B"}`),
};

/** `clearLine` and its kin of the module `readline`. */
export const cursor = {
  clearLine: (stream: Stream | null, direction: Direction, done?: Done) => put(stream, codes.line(direction), done),
  clearScreenDown: (stream: Stream | null, done?: Done) => put(stream, codes.below(), done),
  cursorTo: (stream: Stream | null, x: number, y?: number | Done, done?: Done) =>
    typeof y === "function" ? put(stream, codes.to(x), y) : put(stream, codes.to(x, y), done),
  moveCursor: (stream: Stream | null, x: number, y: number, done?: Done) => put(stream, codes.by(x, y), done),
};

function put(stream: Stream | null | undefined, text: string, done?: Done): boolean {
  if (stream === null || stream === undefined || text === "") {
    if (done !== undefined) {
      queueMicrotask(done);
    }
    return true;
  }
  return Boolean(stream.write(text, done));
}

/** `Readline` of `readline/promises`: movements that are written together. */
export class Readline {
  readonly #stream: Stream;
  readonly #isImmediate: boolean;
  #texts: string[] = [];

  constructor(stream: Stream, options: { readonly autoCommit?: boolean } = {}) {
    this.#stream = stream;
    this.#isImmediate = options.autoCommit === true;
  }

  clearLine(direction: Direction): this {
    return this.#add(codes.line(direction));
  }
  clearScreenDown(): this {
    return this.#add(codes.below());
  }
  cursorTo(x: number, y?: number): this {
    return this.#add(codes.to(x, y));
  }
  moveCursor(x: number, y: number): this {
    return this.#add(codes.by(x, y));
  }
  async commit(): Promise<void> {
    const text = this.#texts.join("");
    this.#texts = [];
    await new Promise<void>((resolve) => put(this.#stream, text, resolve));
  }
  rollback(): this {
    this.#texts = [];
    return this;
  }

  #add(text: string): this {
    if (this.#isImmediate) {
      put(this.#stream, text);
    } else {
      this.#texts.push(text);
    }
    return this;
  }
}
