/** Owns bytes as text and back, as the sandbox's commands see their input; never a command. */

const utf8 = { fatal: true, ignoreBOM: true } as const;

/** Bytes that are no UTF-8 are shown as these letters, one for each, so that they come out as they were. */
const RAW = 0xf700;

/** Text of bytes; what is no UTF-8 stays distinguishable and is written back as it was. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", utf8).decode(bytes);
  } catch {
    let text = "";
    for (const byte of bytes) {
      text += byte < 0x80 ? String.fromCharCode(byte) : String.fromCharCode(RAW + byte);
    }
    return text;
  }
}

/** The bytes of such a text. */
export function encodeText(text: string): Uint8Array {
  if (!/[\uf780-\uf7ff]/.test(text)) {
    return new TextEncoder().encode(text);
  }
  const parts = text.split(/([\uf780-\uf7ff]+)/);
  const bytes = parts.flatMap((part) =>
    /^[\uf780-\uf7ff]/.test(part)
      ? Array.from(part, (letter) => letter.charCodeAt(0) - RAW)
      : [...new TextEncoder().encode(part)],
  );
  return Uint8Array.from(bytes);
}

/** The bytes of a text of one character for each, as just-bash passes bytes along. */
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
