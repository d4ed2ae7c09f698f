/** Owns which words a text has for searching: the same for what is searched and for what is asked. Never decides an order. */
import { latePattern } from "../model/pattern.ts";

/** Changes whenever a text gets other words: an index made of others is not used. */
export const WORDS_VERSION = 1;

const betweenWords = /* @__PURE__ */ latePattern("[^\\p{L}\\p{M}\\p{N}]+", "u");

/** Accents that stand over or under Latin, Greek and Cyrillic letters; signs of other scripts are letters of theirs. */
const accents = /* @__PURE__ */ latePattern("[\\u0300-\\u036f]", "g");

/** Scripts that put nothing between their words. */
const unspaced = /* @__PURE__ */ latePattern(
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Khmer}\\p{Script=Lao}\\p{Script=Myanmar}ー]+",
  "gu",
);

/** Characters of a word that count. */
const MAX_WORD = 40;

/** The words of a text, in its order: no case, no accents; of scripts without spaces every two characters that follow each other. */
export function searchWords(text: string): string[] {
  return text
    .normalize("NFKD")
    .replace(accents(), "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFC")
    .split(betweenWords())
    .filter((word) => word !== "")
    .flatMap(parts);
}

function parts(word: string): string[] {
  const words: string[] = [];
  const rest = word.replace(unspaced(), (run) => {
    const characters = [...run];
    // One by one: a call takes only so many arguments, and a run may be as long as a text.
    for (let at = 0; at < Math.max(1, characters.length - 1); at++) {
      words.push(`${characters[at]}${characters[at + 1] ?? ""}`);
    }
    return " ";
  });
  return [...words, ...rest.split(" ").filter((part) => part !== "")].map((part) => part.slice(0, MAX_WORD));
}
