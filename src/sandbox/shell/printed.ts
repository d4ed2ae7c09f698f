/** Owns what the builtin `printf` writes where just-bash differs from bash: numbers in C's formats, widths in bytes; never its words. */
import { formatNumber } from "./tools/printf.ts";
import { decodeText, encodeText } from "./tools/text.ts";

/** A number in a format like `%-8.3g`. */
export const sandboxNumber = formatNumber;

/** An integer without its sign, as C's `unsigned long` has it. */
export function sandboxUnsigned(value: number | bigint): bigint {
  return BigInt.asUintN(64, BigInt(value));
}

/** A text cut to so many bytes; none for a negative number. */
export function sandboxCut(text: string, bytes: number): string {
  return bytes < 0 ? text : decodeText(encodeText(text).subarray(0, bytes));
}

/** A text filled up to so many bytes, on the right where the width is negative. */
export function sandboxPadded(text: string, width: number): string {
  const missing = " ".repeat(Math.max(0, Math.abs(width) - encodeText(text).length));
  return width < 0 ? text + missing : missing + text;
}
