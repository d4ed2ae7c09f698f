/** Owns what `sed` reads, prints and writes of a run; never scripts. */
import type { defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { resolvePath } from "../../files/paths.ts";
import { bytesOf, decodeText, encodeText } from "../tools/text.ts";
import { UsageError } from "../tools/tool.ts";
import type { SedHost } from "./run.ts";

/** What a command is given beside its words. */
export type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** A file, or standard input under the name `-`. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

export class SedSurroundings implements SedHost {
  stdout = "";
  stderr = "";
  readonly #machine: Machine;
  readonly #context: Context;
  readonly #written = new Map<string, string[]>();
  /** Where lines go while a file is edited in place; null for standard output. */
  #target: string[] | null = null;

  constructor(machine: Machine, context: Context) {
    this.#machine = machine;
    this.#context = context;
  }

  /** Lets a file's bytes be there, so that it can be read at once. */
  bring(name: string): Promise<void> | null {
    return this.#machine.files.bring(this.#path(name));
  }

  /** A file's text, or standard input's. Throws when there is no such file. */
  textOf(name: string): string {
    return name === "-" || name === "/dev/stdin"
      ? decodeText(bytesOf(String(this.#context.stdin)))
      : decodeText(this.#machine.files.readFile(this.#path(name)));
  }

  kindOf(name: string): "file" | "dir" | "nothing" {
    const node = name === "-" ? "input" : this.#machine.files.peek(this.#path(name));
    return node === null ? "nothing" : node !== "input" && node.kind === "dir" ? "dir" : "file";
  }

  read(name: string): string | null {
    try {
      return this.textOf(name);
    } catch {
      return null;
    }
  }

  write(name: string, text: string): void {
    if (name === "/dev/stdout") {
      this.stdout += text;
    } else {
      this.#written.set(name, [...(this.#written.get(name) ?? []), text]);
    }
  }

  print(text: string): void {
    if (this.#target !== null) {
      this.#target.push(text);
      return;
    }
    this.stdout += text;
    if (this.stdout.length > this.#context.limits.maxOutputSize) {
      throw new UsageError("couldn't write to stdout: output limit");
    }
  }

  tick(): Promise<void> | undefined {
    return this.#machine.state.tick();
  }

  async execute(command: string): Promise<string> {
    const result = await this.#context.exec?.(command, { cwd: this.#context.cwd });
    if (result === undefined) {
      return "";
    }
    return result.stdoutKind === "bytes" ? decodeText(bytesOf(result.stdout)) : result.stdout;
  }

  /** `-i`: what is printed meanwhile becomes the file, and the old one is kept under the suffix, if there is one. */
  async inPlace<T>({ name, text }: Input, suffix: string, edit: () => Promise<T>): Promise<T> {
    this.#target = [];
    const outcome = await edit();
    if (suffix !== "") {
      const kept = suffix.includes("*") ? suffix.replaceAll("*", name.split("/").at(-1) ?? "") : `${name}${suffix}`;
      this.#put(kept, text);
    }
    this.#put(name, this.#target.join(""));
    this.#target = null;
    return outcome;
  }

  /** Puts what scripts wrote to files there. */
  finish(): void {
    for (const [name, texts] of this.#written) {
      this.#put(name, texts.join(""));
    }
  }

  #put(name: string, text: string): void {
    this.#machine.files.writeFile(this.#path(name), encodeText(text));
  }

  #path(name: string): string {
    return resolvePath(this.#context.cwd, name);
  }
}
