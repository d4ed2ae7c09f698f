/** Owns replacing what jq's `sub` and `gsub` find by what names have caught; never expressions. */

interface Expression {
  lastIndex: number;
  exec(text: string): RegExpExecArray | null;
}

/** More than anybody replaces in one text. */
const MOST = 100_000;

/**
 * The text with its matches replaced.
 * @param replacement of what the named groups have caught
 * @param count how many at most
 */
export function sandboxCaptured(
  expression: Expression,
  text: string,
  replacement: (caught: Readonly<Record<string, string | null>>) => string,
  count: number,
): string {
  let out = "";
  let from = 0;
  expression.lastIndex = 0;
  for (let left = Math.min(count, MOST); left > 0; left--) {
    const found = expression.exec(text);
    if (found === null) {
      break;
    }
    const groups = Object.entries(found.groups ?? {}).map(([name, value]) => [name, value ?? null] as const);
    out += text.slice(from, found.index) + replacement(Object.fromEntries(groups));
    from = found.index + found[0].length;
    if (found[0] === "") {
      expression.lastIndex = found.index + 1;
    }
  }
  return out + text.slice(from);
}
