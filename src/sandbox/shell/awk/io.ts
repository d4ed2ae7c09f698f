/** Owns what an awk program reads and writes besides its records: files, commands, standard output; never records' meaning. */
import { resolvePath } from "../../files/paths.ts";
import type { Vfs } from "../../files/vfs.ts";
import type { Result } from "../inside.ts";
import { bytesOf, decodeText, encodeText } from "../tools/text.ts";
import { AwkError } from "./lexer.ts";

/** Where a command of awk runs. */
export interface AwkSurroundings {
  readonly cwd: string;
  readonly stdin: string;
  readonly files: Vfs;
  readonly environment: Readonly<Record<string, string>>;
  readonly mostOutput: number;
  /** Runs a command of the shell. */
  execute(command: string, stdin: string): Promise<Result>;
  /** Called over and over; gives a promise now and then that must be waited for. */
  tick(): Promise<void> | undefined;
}

/** Records of one input, cut off one by one. */
export class Records {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next record without its separator, or null at the end. */
  next(separator: string, find: (source: string) => { exec(text: string): RegExpExecArray | null }): string | null {
    const text = this.#text;
    if (separator === "") {
      this.#at += /^\n+/.exec(text.slice(this.#at))?.[0].length ?? 0;
    }
    if (this.#at >= text.length) {
      return null;
    }
    const [start, length] = this.#separator(separator, find);
    const record = text.slice(this.#at, start);
    this.#at = start + length;
    return this.#at >= text.length && separator !== "\n" && length === 0 ? record.replace(/\n$/, "") : record;
  }

  #separator(
    separator: string,
    find: (source: string) => { exec(text: string): RegExpExecArray | null },
  ): readonly [number, number] {
    const text = this.#text;
    if (separator.length === 1) {
      const at = text.indexOf(separator, this.#at);
      return at < 0 ? [text.length, 0] : [at, 1];
    }
    const match = find(separator === "" ? "\n\n+" : separator).exec(text.slice(this.#at));
    return match === null ? [text.length, 0] : [this.#at + match.index, match[0].length];
  }
}

interface Output {
  readonly mode: ">" | ">>" | "|";
  readonly chunks: string[];
}

export class AwkIo {
  readonly #around: AwkSurroundings;
  readonly #outputs = new Map<string, Output>();
  /** Files with text that is not in them yet. */
  readonly #waiting = new Set<string>();
  readonly #inputs = new Map<string, Records>();
  readonly #opened = new Set<string>();
  stdout = "";
  stderr = "";

  constructor(around: AwkSurroundings) {
    this.#around = around;
  }

  print(text: string): void {
    this.stdout += text;
    if (this.stdout.length > this.#around.mostOutput) {
      throw new AwkError(`output of more than ${this.#around.mostOutput} bytes`);
    }
  }

  write(mode: ">" | ">>" | "|", name: string, text: string): void {
    if (mode !== "|" && (name === "/dev/stdout" || name === "-")) {
      this.print(text);
    } else if (mode !== "|" && name === "/dev/stderr") {
      this.stderr += text;
    } else {
      const output = this.#outputs.get(name) ?? { mode, chunks: [] };
      this.#outputs.set(name, output);
      output.chunks.push(text);
      if (output.mode !== "|") {
        this.#waiting.add(name);
      }
    }
  }

  /** Waits for the bytes of a file; null where there is nothing to wait for. */
  bring(name: string): Promise<void> | null {
    const { cwd, files } = this.#around;
    return files.bring(resolvePath(cwd, name));
  }

  /** The text of a file, or of standard input for `-`. Throws what the file system throws. */
  read(name: string): string {
    const { cwd, files, stdin } = this.#around;
    if (name === "-" || name === "/dev/stdin") {
      return decodeText(bytesOf(stdin));
    }
    this.#flush(name);
    return decodeText(files.readFile(resolvePath(cwd, name)));
  }

  /** What `getline < file` reads from; null when the file cannot be read. */
  file(name: string): Records | null {
    const known = this.#inputs.get(name);
    if (known !== undefined) {
      return known;
    }
    try {
      return this.#remember(name, this.read(name));
    } catch {
      return null;
    }
  }

  /** What `command | getline` reads from. */
  async command(name: string): Promise<Records> {
    const known = this.#inputs.get(name);
    if (known !== undefined) {
      return known;
    }
    const result = await this.#run(name, "");
    return this.#remember(name, decodeText(outputOf(result)));
  }

  #remember(name: string, text: string): Records {
    const records = new Records(text);
    this.#inputs.set(name, records);
    return records;
  }

  async system(command: string): Promise<number> {
    const result = await this.#run(command, "");
    this.print(decodeText(outputOf(result)));
    return result.exitCode;
  }

  async #run(command: string, stdin: string): Promise<Result> {
    for (const name of this.#waiting) {
      this.#flush(name);
    }
    const result = await this.#around.execute(command, stdin);
    this.stderr += result.stderr;
    return result;
  }

  /** Ends one input or output: 0, the status of its command, or -1 when there is no such. */
  async close(name: string): Promise<number> {
    const wasRead = this.#inputs.delete(name);
    const output = this.#outputs.get(name);
    if (output === undefined) {
      return wasRead ? 0 : -1;
    }
    if (output.mode !== "|") {
      this.#flush(name);
      this.#outputs.delete(name);
      this.#opened.delete(name);
      return 0;
    }
    this.#outputs.delete(name);
    const result = await this.#run(name, byteText(output.chunks.join("")));
    this.print(decodeText(outputOf(result)));
    return result.exitCode;
  }

  async closeAll(): Promise<void> {
    for (const name of [...this.#outputs.keys()]) {
      await this.close(name);
    }
  }

  #flush(name: string): void {
    const output = this.#outputs.get(name);
    if (output === undefined || output.mode === "|") {
      return;
    }
    const { cwd, files } = this.#around;
    const path = resolvePath(cwd, name);
    const bytes = encodeText(output.chunks.splice(0).join(""));
    if (output.mode === ">" && !this.#opened.has(name)) {
      files.writeFile(path, bytes);
    } else {
      files.appendFile(path, bytes);
    }
    this.#opened.add(name);
    this.#waiting.delete(name);
  }
}

function outputOf({ stdout, stdoutKind }: Result): Uint8Array {
  return stdoutKind === "bytes" ? bytesOf(stdout) : encodeText(stdout);
}

function byteText(text: string): string {
  let out = "";
  for (const byte of encodeText(text)) {
    out += String.fromCharCode(byte);
  }
  return out;
}
