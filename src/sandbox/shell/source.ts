/** Owns turning a shell script's bytes into the text that is parsed; never runs it. */

/** The text of a script, its first line kept as an empty one when it is a shebang, so that line numbers hold. */
export function decodeScript(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\r\n", "\n");
  return text.startsWith("#!") ? text.replace(/^[^\n]*/, "") : text;
}
