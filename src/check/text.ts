/** Owns the way from bytes to text: UTF-8, byte order mark, line ends. Never looks at what the text says. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const loose = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** The exact text of UTF-8 bytes, a byte order mark included; null for other bytes. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch {
    return null;
  }
}

/** A file's bytes as text where they are, and as something to search ASCII in where they are not. */
export function searchableText(bytes: Uint8Array): { readonly content: string; readonly isText: boolean } {
  const content = decodeText(bytes);
  return content === null
    ? { content: loose.decode(bytes), isText: false }
    : { content, isText: !content.includes("\0") };
}

/** SKILL.md with `\n` line ends and without byte order mark. */
export interface ManifestText {
  /** Null when the bytes are not UTF-8. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the bytes of a SKILL.md called `file`. */
export function readManifestText(bytes: Uint8Array, file: string): ManifestText {
  const exact = decodeText(bytes);
  if (exact === null) {
    return { text: null, diagnostics: [notUtf8(bytes, file)] };
  }
  const diagnostics: Diagnostic[] = [];
  const hasMark = exact.startsWith("\ufeff");
  if (hasMark) {
    diagnostics.push(diagnostic("bom", "The file starts with a byte order mark", { file, line: 1, column: 1 }));
  }
  const unmarked = hasMark ? exact.slice(1) : exact;
  const firstReturn = unmarked.indexOf("\r");
  if (firstReturn < 0) {
    return { text: unmarked, diagnostics };
  }
  const line = countLines(unmarked, firstReturn);
  diagnostics.push(diagnostic("crlf", "Lines end in a carriage return", { file, line }));
  return { text: unmarked.replace(/\r\n?/g, "\n"), diagnostics };
}

function countLines(text: string, end: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  return line;
}

function notUtf8(bytes: Uint8Array, file: string): Diagnostic {
  const hint = "save the file as UTF-8";
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return diagnostic("not-utf8", `${file} is UTF-16, not UTF-8`, { file, line: 1, column: 1, hint });
  }
  const { line, column, byte } = firstBadByte(bytes);
  const hex = byte.toString(16).padStart(2, "0");
  return diagnostic("not-utf8", `${file} is not UTF-8: byte 0x${hex} cannot stand here`, { file, line, column, hint });
}

/** Where the bytes stop being UTF-8, found by halving so that no decoder of our own is needed. */
function firstBadByte(bytes: Uint8Array): { line: number; column: number; byte: number } {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isPrefix(bytes.subarray(0, middle))) {
      good = middle;
    } else {
      bad = middle;
    }
  }
  const before = loose.decode(bytes.subarray(0, good), { stream: true });
  loose.decode();
  const lines = before.split(/\r\n?|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1, byte: bytes[good] ?? 0 };
}

function isPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
