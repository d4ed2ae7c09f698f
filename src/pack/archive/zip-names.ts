/** Owns the text of a name in a zip: UTF-8, or the old code page 437 where the bytes are none. Never judges a name. */
import { decodeText } from "../../check/text.ts";

/** The upper half of code page 437. */
const UPPER =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

/** A name's text, whether or not it is marked as UTF-8: many tools forget the mark. */
export function zipName(bytes: Uint8Array): string {
  return decodeText(bytes) ?? Array.from(bytes, sign).join("");
}

function sign(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : (UPPER[byte - 0x80] ?? "");
}
