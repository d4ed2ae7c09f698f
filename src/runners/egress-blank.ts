/** Owns blanking a secret in what comes back, in the spellings an answer may echo it in. Never sends anything. */

/** What stands where a secret stood. */
const BLANK = 0x2a;

/** A spelling shorter than this would also be found where it is none. */
const SHORTEST = 4;

const encoder = new TextEncoder();

/** Blanks a secret in bytes and in texts. */
export class Blanker {
  readonly #spellings: readonly Uint8Array[];

  constructor(secret: string) {
    const spellings = spellingsOf(secret).filter((text) => text.length >= SHORTEST || text === secret);
    const longestFirst = [...new Set(spellings)].sort((a, b) => b.length - a.length);
    this.#spellings = longestFirst.map((text) => encoder.encode(text));
  }

  /** Blanks in place. */
  bytes(bytes: Uint8Array): void {
    for (const spelling of this.#spellings) {
      for (let at = indexOf(bytes, spelling, 0); at !== -1; at = indexOf(bytes, spelling, at + spelling.length)) {
        bytes.fill(BLANK, at, at + spelling.length);
      }
    }
  }

  text(text: string): string {
    const bytes = encoder.encode(text);
    this.bytes(bytes);
    return new TextDecoder().decode(bytes);
  }
}

function spellingsOf(secret: string): string[] {
  const bytes = encoder.encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const percent = encodeURIComponent(secret);
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replaceAll("%20", "+"),
    percent.replace(/%../g, (code) => code.toLowerCase()),
    escapedForHtml(secret),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** What base64 makes of the secret wherever it stands in a longer text: the characters that depend on nothing else. */
function base64Core(bytes: Uint8Array, offset: number): string {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const text = btoa(String.fromCharCode(...padded)).replace(/=+$/, "");
  const end = Math.floor((padded.length * 8) / 6);
  return text.slice(Math.ceil((offset * 8) / 6), end);
}

function escapedForHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
  };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

function indexOf(bytes: Uint8Array, part: Uint8Array, from: number): number {
  const [first] = part;
  if (first === undefined) {
    return -1;
  }
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + part.length > bytes.length) {
      return -1;
    }
    if (part.every((byte, i) => bytes[at + i] === byte)) {
      return at;
    }
  }
  return -1;
}
