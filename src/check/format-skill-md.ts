/**
 * Owns writing a SKILL.md from fields and a body, so that every reader of YAML reads the very texts that were given: no value can begin
 * another field, end the frontmatter or turn into a number. Never checks what the fields say.
 */
import type { JsonObject, JsonValue } from "../model/record.ts";

/** What a SKILL.md says. */
export interface SkillMd {
  /** In the order in which they are written. Texts stay texts to every reader; numbers and truth values are written as such. */
  readonly fields: JsonObject;
  /** Everything behind the frontmatter; line ends become `\n`. */
  readonly body: string;
}

/** YAML takes a key in the plain form up to 1024 characters; with its quotes and escapes this is below. */
const MAX_PLAIN_KEY = 1000;

/** A text that no reader takes for anything else: begins with a letter, ends with a letter, digit or sign of a sentence. */
const PLAIN = /^\p{L}(?:[\p{L}\p{M}\p{Nd} _./(),;'’–—-]*[\p{L}\p{Nd}.)])?$/u;
/** What some reader of YAML 1.1 or 1.2 takes for a truth value, for nothing or for a number. */
const RESERVED = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf|infinity)$/i;

/** What YAML does not allow in a quoted text as it is, or nobody would see. */
const ESCAPED = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The text of a SKILL.md. Half characters (lone surrogates) become U+FFFD, since no file can hold them. */
export function formatSkillMd({ fields, body }: SkillMd): string {
  const lines = Object.entries(fields).flatMap(([key, value]) => entryLines(key, value));
  return ["---", ...lines, "---", body.replace(/\r\n?/g, "\n").toWellFormed()].join("\n");
}

function entryLines(key: string, value: JsonValue): string[] {
  const name = scalar(key);
  const [first = "", ...rest] = valueLines(value);
  if (name.length > MAX_PLAIN_KEY) {
    return isNested(value) ? [`? ${name}`, ":", ...indented([first, ...rest])] : [`? ${name}`, `: ${first}`];
  }
  return isNested(value) ? [`${name}:`, ...indented([first, ...rest])] : [`${name}: ${first}`];
}

/** A value from the left edge: one line for a scalar, several for a list or mapping. */
function valueLines(value: JsonValue): string[] {
  if (Array.isArray(value)) {
    return value.length === 0 ? ["[]"] : value.flatMap(itemLines);
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    return entries.length === 0 ? ["{}"] : entries.flatMap(([key, item]) => entryLines(key, item));
  }
  return [typeof value === "string" ? scalar(value) : String(value)];
}

function itemLines(item: JsonValue): string[] {
  const [first = "", ...rest] = valueLines(item);
  return [`- ${first}`, ...indented(rest)];
}

/** Whether a value takes lines of its own. */
function isNested(value: JsonValue): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function scalar(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !text.includes("---") ? text : quoted(text.toWellFormed());
}

/** A text in double quotes on one line: JSON, which YAML reads, with the rest of what it may not hold escaped, and `---`, where some readers end the frontmatter. */
function quoted(text: string): string {
  return JSON.stringify(text)
    .replaceAll("---", "--\\u002d")
    .replace(ESCAPED, (sign) => {
      const code = sign.codePointAt(0) ?? 0;
      return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
    });
}
