/** Owns bytes as base64 and back, in any runtime. */

/** A multiple of three, so that the pieces join without padding between them. */
const CHUNK = 0x6000;

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return text;
}

/** The bytes of a text. Throws for what is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
