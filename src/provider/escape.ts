/** Owns how a skill's text is put into what the model reads, so that it stays text. Rules: cases/README.md, escaping.json. */
import { latePattern } from "../model/pattern.ts";

/** Control characters, bidirectional controls, and characters without width or shape. */
const invisible = /* @__PURE__ */ latePattern(
  "[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2800\\ufffc]",
  "gu",
);

/** The answer's own tags, opening or closing, in any case, with anything invisible or blank within or before the name. */
const ownTags = /* @__PURE__ */ latePattern(
  () => tagsNamed(["skill_content", "skill_resource", "skill_script"]),
  "giu",
);

function tagsNamed(names: readonly string[]): string {
  const overlooked = "\\s\\p{Cc}\\p{Cf}\\p{Cs}\\p{Default_Ignorable_Code_Point}";
  const spelled = names.map((name) => [...name].join(`[${overlooked}]*`)).join("|");
  return `<(?=[${overlooked}/]*(?:${spelled}))`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function entity(character: string): string {
  return ENTITIES[character] ?? character;
}

/** A text's first characters, with a sign where it was cut. */
export function shortText(text: string, characters: number): string {
  // A code point is at most two units, so what is shorter than this need not be taken apart.
  const start = [...text.slice(0, characters * 2 + 2)];
  return start.length > characters ? `${start.slice(0, characters).join("")}…` : text;
}

/** One line of plain text for the catalogue: white space folded, invisible characters gone, everything escaped once. */
export function catalogueText(text: string): string {
  return text.replace(/\s+/g, " ").replace(invisible(), "").trim().replace(/[&<>]/g, entity);
}

/** A value between double quotes. Control characters become references, so that a name stays on its line and can still be told. */
export function attributeText(text: string): string {
  return text.replace(/[&<>"']/g, entity).replace(invisible(), (character) => `&#${character.codePointAt(0)};`);
}

/** A body or schema as it is, save that it cannot open or close a tag of the answer it stands in. */
export function bodyText(text: string): string {
  return text.replace(ownTags(), "&lt;");
}
