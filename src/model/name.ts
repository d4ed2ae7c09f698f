/** Owns names of skills: the written one, the served one, and what makes one unsafe. Never reads a skill. CONTRACT.md §2, cases/README.md. */
import { latePattern } from "./pattern.ts";

/** The longest name the specification allows, in characters. */
export const MAX_NAME_LENGTH = 64;

// Letters keep the marks that follow them; a mark behind a sign (an emoji's variation selector) goes with the sign.
const word = /* @__PURE__ */ latePattern("(?:\\p{L}\\p{M}*|\\p{Nd})+", "gu");
const variationSelector = /* @__PURE__ */ latePattern("\\p{Variation_Selector}", "gu");
const unsafe = /* @__PURE__ */ latePattern(
  "[\\p{Cc}\\p{Bidi_Control}]|(?!\\p{Variation_Selector})\\p{Default_Ignorable_Code_Point}",
  "u",
);
const PORTABLE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The name as its author wrote it: without white space around it, composed (NFC). */
export function writtenName(text: string): string {
  return text.trim().normalize("NFC");
}

/** The name a skill is served under: lower case, words joined by single hyphens. Empty when no letter or digit is left. */
export function servedName(text: string): string {
  const lower = writtenName(text).toLowerCase().replace(variationSelector(), "").normalize("NFC");
  return lower.match(word())?.join("-") ?? "";
}

/** Tells whether a text is a valid name as it stands: lower-case letters and digits of any script, single hyphens between them. */
export function isValidName(text: string): boolean {
  return text !== "" && servedName(text) === text && !isUnsafeName(text);
}

/** Tells whether a name holds a control, bidirectional-control or zero-width character, which could deceive whoever reads it. */
export function isUnsafeName(text: string): boolean {
  return unsafe().test(text);
}

/** Tells whether every host takes the name: a–z, 0–9 and single hyphens. */
export function isPortableName(name: string): boolean {
  return PORTABLE.test(name);
}

/** How long a text is in characters: Unicode code points. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) {
    count++;
  }
  return count;
}
