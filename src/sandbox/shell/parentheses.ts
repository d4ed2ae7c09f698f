/** Owns where the parenthesis closes that is open in a shell's text, and telling `((` of arithmetic from that of two subshells; never parses. */

/** Where the parenthesis that is open closes; -1 when it does not. */
export function closingParenthesis(text: string, from: number): number {
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
      return at;
    }
  }
  return -1;
}

/**
 * By bash's own rule: the second parenthesis of arithmetic closes right before another.
 * @param from behind the second parenthesis
 */
export function sandboxArithmetic(text: string, from: number): boolean {
  const end = closingParenthesis(text, from);
  return end !== -1 && text.charAt(end + 1) === ")";
}
