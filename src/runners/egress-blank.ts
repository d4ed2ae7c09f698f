/** Owns blanking a secret in what comes back, in the spellings an answer may echo it in. Never sends anything. */

/** What stands where a secret stood. */
const BLANK = 0x2a;

/** A spelling shorter than this would also be found where it is none. */
const SHORTEST = 4;

const encoder = new TextEncoder();
/** A character for each byte, so that places in the text are those in the bytes. */
const decoder = new TextDecoder("latin1");

/** Blanks secrets in bytes and in texts. */
export class Blanker {
  readonly #spellings: RegExp;

  constructor(secrets: readonly string[]) {
    const texts = secrets.flatMap((secret) =>
      spellingsOf(secret).filter((text) => text.length >= SHORTEST || text === secret),
    );
    const longestFirst = [...new Set(texts)].sort((a, b) => b.length - a.length);
    this.#spellings = new RegExp(longestFirst.map(patternOf).join("|") || "$^", "g");
  }

  /** Blanks in place. */
  bytes(bytes: Uint8Array): void {
    for (const { index, 0: found } of decoder.decode(bytes).matchAll(this.#spellings)) {
      bytes.fill(BLANK, index, index + found.length);
    }
  }

  text(text: string): string {
    const bytes = encoder.encode(text);
    this.bytes(bytes);
    return new TextDecoder().decode(bytes);
  }
}

/**
 * What is secret of a header: what the operator keeps, without the word before it, and what Basic makes of a user and a password.
 * @param value the whole of the header
 * @param bare what the operator keeps
 */
export function secretsIn(value: string, bare: string): string[] {
  const [, scheme = "", token = bare] = /^(basic|bearer|token|bot|key|apikey) +(\S+)$/i.exec(value) ?? [];
  const both = scheme.toLowerCase() === "basic" ? decoded(token) : "";
  const password = both.slice(both.indexOf(":") + 1);
  return [bare, token, both, password].filter((text) => text !== "");
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return "";
  }
}

/** The secret in other alphabets. How these escape single characters is for {@link patternOf}. */
function spellingsOf(secret: string): string[] {
  const bytes = encoder.encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  return [
    secret,
    // As UTF-16 has it, whichever byte comes first.
    [...secret].join("\0"),
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

/** How many characters that begin escapes themselves a text may have: with many there is no end of ways to read it. */
const MOST_TANGLES = 4;

/** A text, each character of it as it is or as addresses, forms, JSON, programs or HTML escape it, also one within the other. */
function patternOf(text: string): string {
  if ((text.match(/[\\%&]/g)?.length ?? 0) > MOST_TANGLES) {
    const spellings = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
    return spellings.map((spelling) => [...spelling].map(literal).join("")).join("|");
  }
  const parts = text.match(/[A-Za-z0-9\0]+|\\+|./gsu) ?? [];
  return parts.map((part, i) => (/[A-Za-z0-9\0]/.test(part) ? part : escapesOf(part, parts[i - 1]))).join("");
}

const NAMES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };
const LETTERS: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t" };

/** @param before what stands before it, if anything does: backslashes there are its own as well */
function escapesOf(part: string, before = "\\"): string {
  if (part.startsWith("\\")) {
    const { length } = part;
    return `(?:\\\\{${length},${8 * length + 7}}|(?:%(?:25){0,3}5[cC]){${length}})`;
  }
  const slashes = before.startsWith("\\") ? "" : "\\\\{0,7}";
  const code = part.codePointAt(0) ?? 0;
  const bytes = [...encoder.encode(part)];
  const units = part.split("").map((unit) => unit.charCodeAt(0));
  const known = [NAMES[part], `#0*${code}`, `#[xX]0*${anyCase(code.toString(16))}`];
  const spellings = [
    slashes + literal(part),
    bytes.map((byte) => `%(?:25){0,3}${hexOf(byte, 2)}`).join(""),
    slashes + units.map((unit) => `u${hexOf(unit, 4)}`).join("\\\\{1,7}"),
    slashes + bytes.map((byte) => `x${hexOf(byte, 2)}`).join("\\\\{1,7}"),
    `&(?:amp;){0,3}(?:${known.filter((name) => name !== undefined).join("|")});`,
    ...(part === " " ? ["\\+"] : []),
    ...(LETTERS[part] === undefined ? [] : [slashes + LETTERS[part]]),
  ];
  return `(?:${spellings.join("|")})`;
}

function literal(character: string): string {
  return decoder
    .decode(encoder.encode(character))
    .replace(/[^A-Za-z0-9]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const hexOf = (value: number, digits: number) => anyCase(value.toString(16).padStart(digits, "0"));

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}
