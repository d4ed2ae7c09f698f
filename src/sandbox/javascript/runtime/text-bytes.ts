/** Owns texts as bytes and back, under the encodings of Node.js; never files or streams. */
import { builtin } from "./builtins.ts";

const encoder = new TextEncoder();
const encode = encoder.encode.bind(encoder);
const UTF8 = /^utf-?8$/i;

/**
 * The bytes of a text. UTF-8 does not need `Buffer`, which takes a fresh isolate longer to load than most scripts take to print.
 * @param encoding as a script gave it; UTF-8 unless it is a text
 */
export function bytesOf(text: string, encoding?: unknown): Uint8Array {
  return typeof encoding !== "string" || UTF8.test(encoding)
    ? encode(text)
    : builtin("buffer").Buffer.from(text, known(encoding));
}

/** The text that bytes stand for. */
export function textOf(bytes: Uint8Array, encoding: string): string {
  return UTF8.test(encoding)
    ? new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes)
    : builtin("buffer").Buffer.from(bytes).toString(known(encoding));
}

function known(encoding: string): BufferEncoding {
  if (!builtin("buffer").Buffer.isEncoding(encoding)) {
    const error = new TypeError(`The argument 'encoding' is invalid encoding. Received '${encoding}'`);
    throw Object.assign(error, { code: "ERR_INVALID_ARG_VALUE" });
  }
  return encoding as BufferEncoding;
}
