/** Owns bytes as text and back, as the sandbox's commands see their input; never a command. */

import { joinBytes } from "../../../model/bytes.ts";

const utf8 = { fatal: true, ignoreBOM: true } as const;

/** Bytes that are no UTF-8 are shown as these letters, one for each, so that they come out as they were. */
const RAW = 0xf700;

/** Text of bytes; what is no UTF-8 stays distinguishable and is written back as it was. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", utf8).decode(bytes);
  } catch {
    return decodeParts(bytes);
  }
}

function decodeParts(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", utf8);
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = lengthOfLetter(bytes, at);
    const letter = length > 1 ? letterOf(decoder, bytes.subarray(at, at + length)) : null;
    const byte = bytes[at] ?? 0;
    text += letter ?? String.fromCharCode(byte < 0x80 ? byte : RAW + byte);
    at += letter === null ? 1 : length;
  }
  return text;
}

/** How many bytes a letter has that begins as UTF-8 has it; 1 where none does. */
function lengthOfLetter(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 1;
  const rest = bytes.subarray(at + 1, at + length);
  return rest.length === length - 1 && rest.every((byte) => (byte & 0xc0) === 0x80) ? length : 1;
}

function letterOf(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes of such a text. */
export function encodeText(text: string): Uint8Array {
  if (!/[\uf780-\uf7ff]/.test(text)) {
    return new TextEncoder().encode(text);
  }
  const encoder = new TextEncoder();
  const parts = text.split(/([\uf780-\uf7ff]+)/);
  return joinBytes(
    parts.map((part) =>
      /^[\uf780-\uf7ff]/.test(part)
        ? Uint8Array.from(part, (letter) => letter.charCodeAt(0) - RAW)
        : encoder.encode(part),
    ),
  );
}

/** Bytes as a text of one character each, as just-bash passes bytes along. */
export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  }
  return text;
}

/** The bytes of such a text. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[i] = text.charCodeAt(i);
  }
  return bytes;
}

/** What a field is padded to at most: a format names a width in a few letters, and may do so many times. */
const MOST_PADDED = 4_096;

/** A width as a format gives it, within bounds. */
export function paddedTo(width: number): number {
  return Math.min(width, MOST_PADDED);
}

/** The lines of a text; a last one without its end is a line too. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") {
    lines.pop();
  }
  return lines;
}
