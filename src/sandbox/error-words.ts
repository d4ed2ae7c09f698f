/** Owns what is passed on of an error that may be a script's own: it goes to logs, where a line is an entry. Never what is done about it. */

/** Letters that are enough to say what went wrong. */
const MOST_WORDS = 500;

/** The message of an error in one line of a bounded length. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Cut before: what is looked through has a bound as well.
  return message.slice(0, MOST_WORDS).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ");
}
