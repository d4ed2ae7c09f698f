/**
 * Owns names as bytes and as texts, for CPython's Emscripten glue: UTF-8, and a byte that is none as half a character of its own, as CPython
 * itself has it (PEP 383). Never which names there are.
 */

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Half characters that stand for the bytes 0x80 to 0xff. */
const ESCAPE = 0xdc00;

/** Bytes a decoder is not worth asking for. */
const SHORT = 32;

/** The text of some bytes. */
export function textOf(bytes: Uint8Array): string {
  return asciiOf(bytes) ?? decoded(bytes) ?? escaped(bytes);
}

function asciiOf(bytes: Uint8Array): string | null {
  return bytes.length <= SHORT && bytes.every((byte) => byte < 0x80) ? String.fromCharCode(...bytes) : null;
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

function escaped(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const character = bytes.subarray(at, at + lengthFrom(bytes[at] ?? 0));
    const known = decoded(character);
    text += known ?? String.fromCharCode(ESCAPE + (bytes[at] ?? 0));
    at += known === null ? 1 : character.length;
  }
  return text;
}

function lengthFrom(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/** How many bytes a text takes. */
export function lengthOf(text: string): number {
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    length += sizeOf(code);
    at += code > 0xffff ? 1 : 0;
  }
  return length;
}

function sizeOf(code: number): number {
  if (isEscape(code)) {
    return 1;
  }
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

const isEscape = (code: number) => code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff;

/** Writes a text and a NUL behind it, as much as fits, whole characters only; gives how many bytes, the NUL not counted. */
export function writeText(text: string, into: Uint8Array | number[], start: number, most: number): number {
  if (most <= 0) {
    return 0;
  }
  let to = start;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    const size = sizeOf(code);
    if (to + size >= start + most) {
      break;
    }
    if (size === 1) {
      into[to++] = code & 0xff;
    } else {
      for (let left = size - 1; left >= 0; left--) {
        const lead = left === size - 1 ? (0xf00 >> size) & 0xff : 0x80;
        into[to++] = lead | ((code >> (6 * left)) & (left === size - 1 ? 0xff : 0x3f));
      }
    }
    at += code > 0xffff ? 1 : 0;
  }
  into[to] = 0;
  return to - start;
}
