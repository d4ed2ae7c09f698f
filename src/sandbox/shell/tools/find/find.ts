/** Owns `find`: walking the tree below its starting points; never what the expression means. */
import type { Inode } from "../../../files/inode.ts";
import { directoryName, resolvePath } from "../../../files/paths.ts";
import type { Result } from "../../inside.ts";
import { bytesOf, decodeText, encodeText, latin1 } from "../text.ts";
import { fail, type Surroundings } from "../tool.ts";
import type { Entry } from "./entry.ts";
import { type Expression, type Run, readExpression } from "./expression.ts";
import { FindError } from "./numbers.ts";

/** Bytes of paths that one command gets. */
const MOST_BYTES = 131_072;

export async function find(args: readonly string[], around: Surroundings): Promise<Result> {
  const links = args.findIndex((word) => !/^-[HLP]$/.test(word));
  const words = links < 0 ? [] : args.slice(links);
  const follow = args.slice(0, links < 0 ? args.length : links).includes("-L") ? "follow" : "nofollow";
  const first = words.findIndex((word) => /^-.|^[(!,)]$/.test(word));
  const starts = first < 0 ? words : words.slice(0, first);
  try {
    const expression = readExpression(first < 0 ? [] : words.slice(first), around);
    return await new Walk(expression, around, follow).from(starts.length === 0 ? ["."] : starts);
  } catch (error) {
    if (error instanceof FindError) {
      return fail(`find: ${error.message}`);
    }
    throw error;
  }
}

class Walk implements Run {
  readonly around: Surroundings;
  readonly now = Date.now();
  readonly #expression: Expression;
  readonly #follow: "follow" | "nofollow";
  readonly #written = new Map<string, string>();
  readonly #collected = new Map<string, { readonly words: readonly string[]; readonly paths: string[] }>();
  /** A character for each byte. */
  #stdout = "";
  #stderr = "";
  #failed = false;
  #pruned = false;
  #over = false;

  constructor(expression: Expression, around: Surroundings, follow: "follow" | "nofollow") {
    this.#expression = expression;
    this.around = around;
    this.#follow = follow;
  }

  async from(starts: readonly string[]): Promise<Result> {
    const { cwd, files } = this.around;
    for (const start of starts) {
      const absolute = resolvePath(cwd, start);
      const node = files.peek(absolute, start.endsWith("/") ? "follow" : this.#follow);
      if (node === null) {
        this.#complain(start, "No such file or directory");
      } else if (!this.#over) {
        await this.#visit({ path: start, start, absolute, node, depth: 0 });
      }
    }
    for (const { words, paths } of this.#collected.values()) {
      await this.#runWith(words, paths);
    }
    for (const [path, text] of this.#written) {
      files.writeFile(path, new TextEncoder().encode(text));
    }
    const text = decodeText(bytesOf(this.#stdout));
    const facts = { stderr: this.#stderr, exitCode: this.#failed ? 1 : 0 };
    // Only text can be joined with a message that has letters beyond a byte.
    return text.includes("\ufffd")
      ? { ...facts, stdout: this.#stdout, stdoutKind: "bytes" }
      : { ...facts, stdout: text };
  }

  async #visit(entry: Entry): Promise<void> {
    const waiting = this.around.tick();
    if (waiting !== undefined) {
      await waiting;
    }
    const { leastDepth, mostDepth, order, test } = this.#expression;
    const isWanted = entry.depth >= leastDepth;
    this.#pruned = false;
    if (isWanted && order === "before") {
      await test(entry, this);
    }
    if (!this.#pruned && !this.#over && entry.depth < mostDepth && entry.node.kind === "dir") {
      for (const [name, child] of [...entry.node.entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
        if (!this.#over) {
          await this.#visit(this.#below(entry, name, child));
        }
      }
    }
    if (isWanted && order === "after" && !this.#over) {
      await test(entry, this);
    }
  }

  #below({ path, start, absolute, depth }: Entry, name: string, node: Inode): Entry {
    const join = (directory: string) => (directory.endsWith("/") ? directory + name : `${directory}/${name}`);
    const led = this.#follow === "follow" ? (this.around.files.peek(join(absolute), "follow") ?? node) : node;
    // A link that leads back up would never end.
    const isLoop = node.kind === "link" && led.kind === "dir" && depth > MOST_LINKED_DEPTH;
    return { path: join(path), start, absolute: join(absolute), node: isLoop ? node : led, depth: depth + 1 };
  }

  print(text: string, file?: string): void {
    if (file === undefined) {
      this.#stdout += latin1(encodeText(text));
    } else {
      this.#written.set(file, (this.#written.get(file) ?? "") + text);
    }
  }

  prune(): void {
    this.#pruned = true;
  }

  quit(): void {
    this.#over = true;
  }

  delete({ path, absolute, node }: Entry): boolean {
    if (path === ".") {
      return true;
    }
    if (node.kind === "dir" && node.entries.size > 0) {
      this.#failed = true;
      this.#stderr += `find: cannot delete ‘${path}’: Directory not empty\n`;
      return false;
    }
    if (node.kind === "dir") {
      this.around.files.rmdir(absolute);
    } else {
      this.around.files.unlink(absolute);
    }
    return true;
  }

  async execute(words: readonly string[], { path, absolute }: Entry, where: "here" | "there"): Promise<boolean> {
    const name = where === "there" ? `./${absolute.slice(absolute.lastIndexOf("/") + 1)}` : path;
    const filled = words.map((word) => word.replaceAll("{}", name));
    const command = where === "there" ? ["sh", "-c", 'cd "$0" && "$@"', directoryName(absolute), ...filled] : filled;
    return (await this.#run(command)).exitCode === 0;
  }

  collect(words: readonly string[], path: string): void {
    const key = words.join("\0");
    const known = this.#collected.get(key) ?? { words, paths: [] };
    known.paths.push(path);
    this.#collected.set(key, known);
  }

  async #runWith(words: readonly string[], paths: readonly string[]): Promise<void> {
    let batch: string[] = [];
    let bytes = 0;
    const run = async () => {
      const { exitCode } = await this.#run([...words, ...batch]);
      this.#failed ||= exitCode !== 0;
      batch = [];
      bytes = 0;
    };
    for (const path of paths) {
      if (bytes + path.length > MOST_BYTES) {
        await run();
      }
      batch.push(path);
      bytes += path.length + 1;
    }
    if (batch.length > 0) {
      await run();
    }
  }

  async #run(words: readonly string[]): Promise<Result> {
    const result = await this.around.execute(words, "");
    this.#stdout += result.stdoutKind === "bytes" ? result.stdout : latin1(encodeText(result.stdout));
    const missing = result.exitCode === 127 && /: command not found/.test(result.stderr);
    this.#stderr += missing ? `find: ‘${words[0]}’: No such file or directory\n` : result.stderr;
    return result;
  }

  #complain(path: string, words: string): void {
    this.#failed = true;
    this.#stderr += `find: ‘${path}’: ${words}\n`;
  }
}

const MOST_LINKED_DEPTH = 40;
