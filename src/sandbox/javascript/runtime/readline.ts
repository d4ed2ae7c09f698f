/** Owns `readline` over streams, as scripts use it without a terminal; never cursor movement. */
import { EventEmitter } from "node:events";
import { StringDecoder } from "node:string_decoder";
import { abortError } from "./aborted.ts";
import { cursor, Readline } from "./cursor.ts";
import { linesOf } from "./line-iterator.ts";
import type { Loop } from "./loop.ts";
import { received } from "./received.ts";

interface Input {
  on(event: string, listener: (value?: unknown) => void): unknown;
  removeListener?(event: string, listener: (value?: unknown) => void): unknown;
  resume?(): unknown;
  pause?(): unknown;
}

interface Output {
  write(text: string): unknown;
}

interface InterfaceOptions {
  readonly input: Input;
  readonly output?: Output | null;
  readonly prompt?: string;
  readonly terminal?: boolean;
  readonly history?: string[];
  readonly signal?: AbortSignal;
}

interface QuestionOptions {
  readonly signal?: AbortSignal;
}

/** What ends a line; a return alone only where no newline can follow it any more. */
const LINE_END = /\r\n|\n|\r(?!$)|\u2028|\u2029/;

/** Makes `readline` and `readline/promises`. */
export function makeReadline(loop: Loop) {
  /** Those that somebody might still ask; they close when nothing else is left to do. */
  const left = new Set<{ close(): void }>();
  const { onIdle } = loop;
  loop.onIdle = () => {
    for (const one of left) {
      left.delete(one);
      setTimeout(() => one.close(), 0);
      return;
    }
    onIdle();
  };
  class Interface extends EventEmitter {
    readonly input: Input;
    readonly output: Output | null | undefined;
    readonly terminal: boolean;
    readonly history: string[];
    line = "";
    cursor = 0;
    closed = false;
    paused = false;
    #prompt: string;
    #rest = "";
    #afterReturn = false;
    #answer: ((line: string) => void) | null = null;
    /** Lines that came while nobody listened wait for the next question. */
    readonly #lines: string[] = [];
    /** The input has ended, but not all of its lines were asked for. */
    #isOver = false;
    #release = loop.hold();
    readonly #detach: () => void;

    constructor(given: InterfaceOptions | Input, output?: Output) {
      super();
      const options: InterfaceOptions = isOptions(given) ? given : { input: given, ...(output && { output }) };
      if (typeof options.input?.on !== "function") {
        this.#release();
        throw new TypeError(`input.on is not a function: the input is ${received(options.input)}`);
      }
      this.input = options.input;
      this.output = options.output;
      this.terminal = options.terminal === true;
      this.history = options.history ?? [];
      this.#prompt = options.prompt ?? "> ";
      const decoder = new StringDecoder("utf8");
      const take = (chunk: unknown) => this.#take(typeof chunk === "string" ? chunk : decoder.write(chunk as Buffer));
      // As where the end of a pipe comes after its lines: what those wake has heard of them by then.
      const end = () => void setTimeout(() => this.#end(decoder.end()), 0);
      const fail = (error: unknown) => this.emit("error", error);
      const listeners = Object.entries({ data: take, end, error: fail });
      for (const [event, listener] of listeners) {
        this.input.on(event, listener);
      }
      this.#detach = () => {
        for (const [event, listener] of listeners) {
          this.input.removeListener?.(event, listener);
        }
      };
      options.signal?.addEventListener("abort", () => this.close(), { once: true });
      this.input.resume?.();
    }

    question(text: string, ...rest: unknown[]): unknown {
      this.#throwIfClosed();
      const done = rest.at(-1);
      const { signal } = (rest.length > 1 ? rest[0] : {}) as QuestionOptions;
      if (typeof done === "function" && signal?.aborted !== true) {
        const withdraw = this.#ask(text, (line) => {
          signal?.removeEventListener("abort", withdraw);
          (done as (line: string) => void)(line);
        });
        signal?.addEventListener("abort", withdraw, { once: true });
      }
      return undefined;
    }

    setPrompt(text: string): void {
      this.#prompt = String(text);
    }
    getPrompt(): string {
      return this.#prompt;
    }
    getCursorPos(): { rows: number; cols: number } {
      return { rows: 0, cols: this.#prompt.length + this.cursor };
    }
    prompt(): void {
      this.resume();
      this.output?.write(this.#prompt);
    }
    /** Text that counts as if it had been read. */
    write(text: unknown): void {
      this.resume();
      this.#take(text === undefined || text === null ? "" : String(text));
    }
    pause(): this {
      this.#throwIfClosed();
      if (!this.paused) {
        this.paused = true;
        this.input.pause?.();
        this.#release();
        this.emit("pause");
      }
      return this;
    }
    resume(): this {
      this.#throwIfClosed();
      if (this.paused) {
        this.paused = false;
        this.#release = loop.hold();
        this.input.resume?.();
        this.emit("resume");
      }
      return this;
    }
    close(): void {
      if (!this.closed) {
        this.pause();
        this.closed = true;
        left.delete(this);
        this.#detach();
        this.emit("close");
      }
    }

    [Symbol.asyncIterator](): AsyncIterableIterator<string> {
      return linesOf(this, this.#lines.splice(0));
    }

    [Symbol.dispose](): void {
      this.close();
    }

    /** @returns takes the question back */
    #ask(text: string, done: (line: string) => void): () => void {
      if (this.#answer !== null) {
        this.prompt();
        return () => undefined;
      }
      this.resume();
      this.output?.write(text);
      const line = this.#lines.shift();
      if (line !== undefined) {
        if (this.#isOver && this.#lines.length === 0) {
          setTimeout(() => this.close(), 0);
        }
        queueMicrotask(() => done(line));
        return () => undefined;
      }
      this.#answer = done;
      return () => {
        this.#answer = this.#answer === done ? null : this.#answer;
      };
    }

    #take(text: string): void {
      const whole = this.#afterReturn && text.startsWith("\n") ? text.slice(1) : text;
      const lines = (this.#rest + whole).split(LINE_END);
      let last = lines.pop() ?? "";
      this.#afterReturn = last.endsWith("\r");
      if (this.#afterReturn) {
        lines.push(last.slice(0, -1));
        last = "";
      }
      this.#rest = last;
      for (const line of lines) {
        this.#line(line);
      }
    }

    #line(line: string): void {
      const answer = this.#answer;
      if (answer !== null) {
        this.#answer = null;
        answer(line);
      } else if (this.listenerCount("line") === 0) {
        this.#lines.push(line);
      } else {
        this.emit("line", line);
      }
    }

    #end(text: string): void {
      const last = this.#rest + text;
      this.#rest = "";
      if (last !== "" && !this.closed) {
        this.#line(last);
      }
      if (this.#lines.length > 0) {
        this.#isOver = true;
        left.add(this);
        this.#release();
      } else {
        this.close();
      }
    }

    #throwIfClosed(): void {
      if (this.closed) {
        throw closedError();
      }
    }
  }

  class PromisingInterface extends Interface {
    override question(text: string, options?: unknown): Promise<string> {
      return this.#promised(text, (options ?? {}) as QuestionOptions);
    }

    #promised(text: string, { signal }: QuestionOptions): Promise<string> {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          throw abortError(signal);
        }
        const stop = new AbortController();
        signal?.addEventListener("abort", () => {
          stop.abort();
          reject(abortError(signal));
        });
        super.question(text, { signal: stop.signal }, resolve);
      });
    }
  }
  Object.defineProperty(PromisingInterface, "name", { value: "Interface" });

  const promises = {
    Interface: PromisingInterface,
    Readline,
    createInterface: (input: InterfaceOptions | Input, output?: Output) => new PromisingInterface(input, output),
  };
  const createInterface = (input: InterfaceOptions | Input, output?: Output) => new Interface(input, output);
  Object.defineProperty(Interface.prototype.question, Symbol.for("nodejs.util.promisify.custom"), {
    value(this: Interface, text: string, options: QuestionOptions = {}) {
      return new Promise((resolve) => this.question(text, options, resolve));
    },
  });
  const readline = { Interface, createInterface, promises, ...cursor, emitKeypressEvents: () => undefined };
  return { readline, promises };
}

function isOptions(given: InterfaceOptions | Input): given is InterfaceOptions {
  return typeof given === "object" && given !== null && "input" in given && !("on" in given && "read" in given);
}

function closedError(): Error {
  return Object.assign(new Error("readline was closed"), { code: "ERR_USE_AFTER_CLOSE" });
}
