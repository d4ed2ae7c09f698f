/** Owns `readline` over streams, as scripts use it without a terminal; never cursor movement. */
import { EventEmitter } from "node:events";
import type { Loop } from "./loop.ts";

interface Input extends AsyncIterable<Uint8Array | string> {
  on(event: string, listener: (value?: unknown) => void): unknown;
  resume?(): unknown;
  pause?(): unknown;
}

interface Output {
  write(text: string): unknown;
}

interface InterfaceOptions {
  readonly input: Input;
  readonly output?: Output;
  readonly prompt?: string;
}

/** Makes `readline` and `readline/promises`. */
export function makeReadline(loop: Loop) {
  class Interface extends EventEmitter {
    readonly input: Input;
    readonly output: Output | undefined;
    line = "";
    closed = false;
    #prompt: string;
    #rest = "";
    readonly #waiting: ((line: string | null) => void)[] = [];
    readonly #lines: string[] = [];
    readonly #release = loop.hold();
    #ended = false;

    constructor(options: InterfaceOptions) {
      super();
      this.input = options.input;
      this.output = options.output;
      this.#prompt = options.prompt ?? "> ";
      const decoder = new TextDecoder();
      this.input.on("data", (chunk) =>
        this.#take(typeof chunk === "string" ? chunk : decoder.decode(chunk as Uint8Array, { stream: true })),
      );
      this.input.on("end", () => this.#end());
      this.input.resume?.();
    }

    question(text: string, ...rest: unknown[]): void {
      this.output?.write(text);
      const callback = rest.at(-1) as (answer: string) => void;
      this.#next((line) => line !== null && callback(line));
    }

    ask(text: string): Promise<string> {
      this.output?.write(text);
      return loop.track(
        new Promise((resolve, reject) => this.#next((line) => (line === null ? reject(closedError()) : resolve(line)))),
      );
    }

    setPrompt(text: string): void {
      this.#prompt = text;
    }
    getPrompt(): string {
      return this.#prompt;
    }
    prompt(): void {
      this.output?.write(this.#prompt);
    }
    write(): void {}
    pause(): this {
      return this;
    }
    resume(): this {
      return this;
    }

    close(): void {
      if (!this.closed) {
        this.closed = true;
        for (const wait of this.#waiting.splice(0)) {
          wait(null);
        }
        this.emit("close");
        this.#release();
      }
    }

    async *[Symbol.asyncIterator](): AsyncGenerator<string> {
      for (;;) {
        const line = await new Promise<string | null>((resolve) => this.#next(resolve));
        if (line === null) {
          return;
        }
        yield line;
      }
    }

    [Symbol.dispose](): void {
      this.close();
    }

    #next(take: (line: string | null) => void): void {
      const line = this.#lines.shift();
      if (line !== undefined) {
        take(line);
      } else if (this.#ended || this.closed) {
        take(null);
      } else {
        this.#waiting.push(take);
      }
    }

    #take(text: string): void {
      const lines = (this.#rest + text).split(/\r?\n/);
      this.#rest = lines.pop() ?? "";
      for (const line of lines) {
        this.#line(line);
      }
    }

    #line(line: string): void {
      const wait = this.#waiting.shift();
      if (wait !== undefined) {
        wait(line);
      } else if (this.listenerCount("line") === 0) {
        this.#lines.push(line);
      }
      this.emit("line", line);
    }

    #end(): void {
      if (this.#rest !== "") {
        this.#line(this.#rest);
        this.#rest = "";
      }
      this.#ended = true;
      // As where the end of a pipe comes after its lines: what those wake has heard of them by then.
      setTimeout(() => this.close(), 0);
    }
  }

  const createInterface = (input: InterfaceOptions | Input, output?: Output) =>
    new Interface("input" in input ? input : { input, ...(output === undefined ? {} : { output }) });
  const promises = {
    Interface,
    createInterface: (input: InterfaceOptions | Input, output?: Output) => {
      const made = createInterface(input, output);
      return Object.assign(made, { question: (text: string) => made.ask(text) });
    },
  };
  const nothing = () => true;
  const readline = {
    Interface,
    createInterface,
    promises,
    clearLine: nothing,
    cursorTo: nothing,
    moveCursor: nothing,
    clearScreenDown: nothing,
    emitKeypressEvents: nothing,
  };
  return { readline, promises };
}

function closedError(): Error {
  return Object.assign(new Error("readline was closed"), { code: "ERR_USE_AFTER_CLOSE" });
}
