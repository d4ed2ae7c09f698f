/** Owns writing to the terminal: results on standard output, words for people on standard error. Nothing else writes there. */
import type { WriteStream } from "node:tty";
import { type Progress, ProgressLines, progressBar } from "./progress.ts";

/** The parts of a process that a terminal needs. */
export interface TerminalStreams {
  readonly stdout: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY">>;
  readonly stderr: NodeJS.WritableStream & Partial<Pick<WriteStream, "isTTY" | "columns">>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the system's clock. */
  readonly now?: () => number;
}

type Style = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

const STYLES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
};

/** What commands talk to people with. */
export class Terminal {
  readonly #streams: TerminalStreams;
  /** Whether progress and colour may be shown on standard error. */
  readonly isInteractive: boolean;
  /** Whether the result may have colours. */
  readonly #isResultColoured: boolean;
  readonly #lines: ProgressLines;
  #progressShown = false;

  constructor(streams: TerminalStreams) {
    this.#streams = streams;
    const { stdout, stderr, env, now = Date.now } = streams;
    this.#lines = new ProgressLines(now);
    // Whoever read along has seen enough (`… | head`): that is no failure.
    for (const stream of [stdout, stderr]) {
      stream.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "EPIPE") {
          throw error;
        }
      });
    }
    const isPlain = (env.NO_COLOR ?? "") !== "" || env.TERM === "dumb";
    this.isInteractive = stderr.isTTY === true && !isPlain;
    this.#isResultColoured = stdout.isTTY === true && !isPlain;
  }

  /** The result: a line, or several, on standard output. */
  result(text: string): void {
    this.#clearProgress();
    this.#streams.stdout.write(`${text}\n`);
  }

  /** The result as one JSON document on standard output. */
  json(value: unknown): void {
    this.result(JSON.stringify(value, null, 2));
  }

  /** The result of a script, byte for byte. */
  passThrough(stdout: string, stderr: string): void {
    this.#clearProgress();
    this.#streams.stdout.write(stdout);
    this.#streams.stderr.write(stderr);
  }

  /** Words for people, on standard error. */
  say(text: string): void {
    this.#clearProgress();
    this.#streams.stderr.write(`${text}\n`);
  }

  /** How far long work is: a bar on a terminal, a line every few seconds elsewhere. */
  progress(progress: Progress): void {
    if (!this.isInteractive) {
      const line = this.#lines.next(progress);
      if (line !== null) {
        this.say(line);
      }
      return;
    }
    const columns = this.#streams.stderr.columns ?? 80;
    this.#streams.stderr.write(`\r\u001b[2K${progressBar(progress).slice(0, columns - 1)}`);
    this.#progressShown = true;
  }

  /** A text for standard error in a style, where styles are shown. */
  style(style: Style, text: string): string {
    return this.isInteractive ? styled(style, text) : text;
  }

  /** A text for the result in a style, where styles are shown. */
  styleResult(style: Style, text: string): string {
    return this.#isResultColoured ? styled(style, text) : text;
  }

  #clearProgress(): void {
    if (this.#progressShown) {
      this.#streams.stderr.write("\r\u001b[2K");
      this.#progressShown = false;
    }
  }
}

function styled(style: Style, text: string): string {
  const [on, off] = STYLES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
