/** Owns the numbers and modes that words of `find` compare with; never what is compared. */
import { fullMode, type Inode } from "../../../files/inode.ts";

/** Words that are wrong; shown as the command's message. */
export class FindError extends Error {}

/** `5`, `+5` or `-5`. */
export function counted(given: string): (value: number) => boolean {
  const number = Number(given.replace(/^[-+]/, ""));
  if (given === "" || Number.isNaN(number)) {
    throw new FindError(`invalid argument \`${given}'`);
  }
  return given.startsWith("+")
    ? (value) => value > number
    : given.startsWith("-")
      ? (value) => value < number
      : (value) => value === number;
}

/** `644`, `-u+w`, `/111`. */
export function permissions(given: string): (entry: { readonly node: Inode }) => boolean {
  const [, how = "", words = ""] = /^([-/]?)(.*)$/.exec(given) ?? [];
  const bits = /^[0-7]+$/.test(words) ? Number.parseInt(words, 8) : symbolic(words);
  if (bits === null) {
    throw new FindError(`invalid mode \`${given}'`);
  }
  return ({ node }) => {
    const mode = fullMode(node) & 0o7777;
    return how === "-" ? (mode & bits) === bits : how === "/" ? bits === 0 || (mode & bits) !== 0 : mode === bits;
  };
}

const WHO: Readonly<Record<string, number>> = { u: 6, g: 3, o: 0 };

function symbolic(words: string): number | null {
  let bits = 0;
  for (const part of words.split(",")) {
    const [, who = "", letters] = /^([ugoa]*)[+=]([rwx]*)$/.exec(part) ?? [];
    if (letters === undefined) {
      return null;
    }
    const value = [...letters].reduce((sum, letter) => sum | ({ r: 4, w: 2, x: 1 }[letter] ?? 0), 0);
    for (const one of who === "" || who.includes("a") ? "ugo" : who) {
      bits |= value << (WHO[one] ?? 0);
    }
  }
  return bits;
}
