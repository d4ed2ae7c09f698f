/** Owns how well a word of a skill fits a word that is searched for: the same however skills are found. Never looks at two skills. */

/** A word of the name says more than one of the description. */
const NAME_WEIGHT = 3;

/** From so many characters on a word may be misspelt: one wrong character in five. */
const FUZZY_FROM = 5;

/** The part of its characters that may be wrong. */
export const FUZZY = 0.2;
const FUZZY_FIT = 0.3;

/** How well the beginning of a word fits it, at least. */
const PREFIX_FIT = 0.5;

/** How many characters of a word may be wrong, put in or left out. */
export function slipsOf(word: string): number {
  return word.length < FUZZY_FROM ? 0 : Math.round(word.length * FUZZY);
}

/** How well a word that is equal, begins with the searched one, or is nearly it, fits: 0 to 1. */
export function fitOf(word: string, found: string): number {
  if (word === found) {
    return 1;
  }
  return found.startsWith(word) ? PREFIX_FIT + ((1 - PREFIX_FIT) * word.length) / found.length : FUZZY_FIT;
}

/** What a skill weighs whose best words fit so well. */
export function weightOf(fits: { readonly name: number; readonly description: number }): number {
  return NAME_WEIGHT * fits.name + fits.description;
}
