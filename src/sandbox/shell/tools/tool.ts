/** Owns what the sandbox's own commands have in common: surroundings, answers, options; never a command. */

import { AbsentError } from "../../files/absent.ts";
import type { FileNode } from "../../files/inode.ts";
import { resolvePath } from "../../files/paths.ts";
import type { Vfs } from "../../files/vfs.ts";
import type { Result } from "../inside.ts";
import { bytesOf, decodeText } from "./text.ts";

/** Where a command runs. */
export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A character for each byte. */
  readonly stdin: string;
  readonly files: Vfs;
  /** Files that were read while their bytes were not here yet: the command has to begin again once they are. */
  readonly missed: Set<FileNode>;
  /** True when another command of a pipe takes the output. */
  readonly isPiped: boolean;
  /** Counts one step of the run's budget; throws once the run has to end. Who can wait waits for the promise it may give. */
  tick(): Promise<void> | undefined;
  /** Runs a command with its words. */
  execute(words: readonly string[], stdin: string): Promise<Result>;
}

export type Tool = (args: readonly string[], around: Surroundings) => Result | Promise<Result>;

export const say = (stdout: string): Result => ({ stdout, stderr: "", exitCode: 0 });
export const fail = (stderr: string, exitCode = 1): Result => ({ stdout: "", stderr: `${stderr}\n`, exitCode });

/** Wrong words; shown as the command's message. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export interface Options {
  has(letter: string): boolean;
  /** The last value that was given. */
  value(letter: string): string | undefined;
  values(letter: string): readonly string[];
  readonly rest: readonly string[];
}

/**
 * Reads options as GNU's tools do: letters in one word, values behind or in the next word, long names, `--`.
 *
 * @param letters those that are known; `:` after one means that it takes a value, `;` that it may have one right behind it
 * @param names long names and the letters they stand for
 * @throws {UsageError} for what is not known
 */
export function readOptions(
  args: readonly string[],
  letters: string,
  names: Readonly<Record<string, string>> = {},
  order: "anywhere" | "first" = "anywhere",
): Options {
  const found = new Map<string, string[]>();
  const rest: string[] = [];
  const add = (letter: string, value: string) => found.set(letter, [...(found.get(letter) ?? []), value]);
  const kindOf = (letter: string) => {
    const at = letters.indexOf(letter);
    return at < 0 ? null : letters[at + 1] === ":" ? "value" : letters[at + 1] === ";" ? "optional" : "flag";
  };
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? "";
    if (word === "--") {
      rest.push(...args.slice(at + 1));
      break;
    }
    if (word.startsWith("--")) {
      const [, name = "", value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const letter = names[name] ?? only(names, name);
      const kind = letter === undefined ? null : kindOf(letter);
      if (letter === undefined || kind === null) {
        throw new UsageError(`unrecognized option '${word}'`);
      }
      add(letter, value ?? (kind === "value" ? (args[++at] ?? "") : ""));
    } else if (word.startsWith("-") && word !== "-") {
      for (let i = 1; i < word.length; i++) {
        const letter = word[i] ?? "";
        const kind = letter === ":" || letter === ";" ? null : kindOf(letter);
        if (kind === null) {
          throw new UsageError(`invalid option -- '${letter}'`);
        }
        if (kind === "flag") {
          add(letter, "");
          continue;
        }
        const behind = word.slice(i + 1);
        if (kind === "value" && behind === "" && at + 1 >= args.length) {
          throw new UsageError(`option requires an argument -- '${letter}'`);
        }
        add(letter, behind === "" && kind === "value" ? (args[++at] ?? "") : behind);
        break;
      }
    } else if (order === "first") {
      rest.push(...args.slice(at));
      break;
    } else {
      rest.push(word);
    }
  }
  return {
    has: (letter) => found.has(letter),
    value: (letter) => found.get(letter)?.at(-1),
    values: (letter) => found.get(letter) ?? [],
    rest,
  };
}

/** The letter of the one long name that begins so. */
function only(names: Readonly<Record<string, string>>, start: string): string | undefined {
  const fitting = Object.keys(names).filter((name) => name.startsWith(start));
  const [name] = fitting;
  return fitting.length === 1 && name !== undefined ? names[name] : undefined;
}

/** The bytes of a file, or of standard input for `-`. A command reads before it does anything that counts: it may have to begin again. */
export function readBytes(name: string, { cwd, files, missed, stdin }: Surroundings): Uint8Array {
  if (name === "-" || name === "/dev/stdin") {
    return bytesOf(stdin);
  }
  try {
    return files.readFile(resolvePath(cwd, name));
  } catch (error) {
    if (error instanceof AbsentError) {
      missed.add(error.node);
    }
    throw error;
  }
}

export function readText(name: string, around: Surroundings): string {
  return decodeText(readBytes(name, around));
}
