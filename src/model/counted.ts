/** Owns numbers with their words. */

/** `1 skill`, `2 skills`; the plural is the word with an s. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
