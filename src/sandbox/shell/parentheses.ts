/** Owns telling `((` of arithmetic from that of two subshells, by bash's own rule: its second parenthesis closes right before another. Never parses. */

/** @param from behind the second parenthesis */
export function sandboxArithmetic(text: string, from: number): boolean {
  let depth = 1;
  let quote = "";
  for (let at = from; at < text.length; at++) {
    const letter = text.charAt(at);
    if (letter === "\\" && quote !== "'") {
      at++;
    } else if (quote !== "") {
      quote = letter === quote ? "" : quote;
    } else if (letter === '"' || letter === "'" || letter === "`") {
      quote = letter;
    } else if (letter === "(") {
      depth++;
    } else if (letter === ")" && --depth === 0) {
      return text.charAt(at + 1) === ")";
    }
  }
  return false;
}
