/**
 * Owns the SKILL.md in the form that every host takes: the served name, metadata of texts, allowed-tools in one line, nothing before the
 * frontmatter. Made beside the original, which is never changed. Never decides who is shown it.
 */

import { MAX_COMPATIBILITY_LENGTH, MAX_DESCRIPTION_LENGTH } from "../model/frontmatter.ts";
import { characterCount, isPortableName, MAX_NAME_LENGTH } from "../model/name.ts";
import type { JsonObject } from "../model/record.ts";
import { readAllowedTools } from "./allowed-tools.ts";
import type { Fields } from "./fields.ts";
import { formatSkillMd } from "./format-skill-md.ts";
import { frontmatterJson } from "./frontmatter-json.ts";
import type { Manifest } from "./manifest.ts";

/** Fields that have to be texts. */
const TEXT_FIELDS = ["name", "description", "license", "compatibility"] as const;

/** What some reader of YAML takes for something else than a text, when it is not in quotes. */
const MAY_BE_TYPED = /^(?:[-+.]?\d.*|[-+]?\.(?:inf|nan)|true|false|yes|no|on|off|y|n|null|~|)$/i;

/** What a portable form is made from. */
export interface PortableInput {
  readonly name: string;
  readonly manifest: Manifest;
  /** The bytes that the manifest was read from. */
  readonly bytes: Uint8Array;
  readonly fields: Fields;
}

/** The text of the portable form; null when the original is that already, or when hosts would not take the skill in any form. */
export function portableManifest({ name, manifest, bytes, fields }: PortableInput): string | null {
  if (!canBePortable(name, fields) || isPortable(name, manifest, bytes, fields)) {
    return null;
  }
  const read = manifest.isMended ? null : frontmatterJson(bytes);
  const wanted = normalised(name, read ?? fields.frontmatter, fields);
  const isSame = read !== null && JSON.stringify(read) === JSON.stringify(wanted) && beginsAtOnce(bytes, manifest);
  return isSame ? null : formatSkillMd({ fields: wanted, body: manifest.body });
}

function canBePortable(name: string, { description, frontmatter }: Fields): boolean {
  const { compatibility = "" } = frontmatter;
  return (
    isPortableName(name) &&
    name.length <= MAX_NAME_LENGTH &&
    characterCount(description) <= MAX_DESCRIPTION_LENGTH &&
    (typeof compatibility !== "string" || characterCount(compatibility) <= MAX_COMPATIBILITY_LENGTH)
  );
}

/** Whether the original will do, told without parsing it again; false where that is not sure. */
function isPortable(name: string, manifest: Manifest, bytes: Uint8Array, fields: Fields): boolean {
  const { frontmatter, metadata, allowedTools } = fields;
  const tools = toolLine(allowedTools);
  const texts = [...TEXT_FIELDS.map((key) => frontmatter[key] ?? "x"), ...Object.values(metadata)];
  return (
    frontmatter.name === name &&
    !manifest.isMended &&
    beginsAtOnce(bytes, manifest) &&
    (frontmatter["allowed-tools"] ?? tools) === tools &&
    JSON.stringify(frontmatter.metadata ?? {}) === JSON.stringify(metadata) &&
    texts.every((text) => typeof text === "string" && !MAY_BE_TYPED.test(text))
  );
}

/** Names in one line; a comma within a name of a list would separate there, so it does here. */
function toolLine(names: readonly string[]): string {
  return readAllowedTools(names.join(" ")).names.join(" ");
}

/** A file called SKILL.md whose first bytes are the delimiter. */
function beginsAtOnce(bytes: Uint8Array, { file }: Manifest): boolean {
  return file === "SKILL.md" && bytes[0] === 0x2d && bytes[1] === 0x2d && bytes[2] === 0x2d;
}

/** The fields in their order, those that hosts are strict about in the form they want. */
function normalised(
  name: string,
  read: JsonObject,
  { description, frontmatter, metadata, allowedTools }: Fields,
): JsonObject {
  const textOf = (key: string) => (typeof frontmatter[key] === "string" ? { [key]: frontmatter[key] } : {});
  return {
    ...read,
    name,
    ...textOf("license"),
    ...textOf("compatibility"),
    description,
    ...(Object.keys(metadata).length > 0 || "metadata" in read ? { metadata } : {}),
    ...(allowedTools.length > 0 || "allowed-tools" in read ? { "allowed-tools": toolLine(allowedTools) } : {}),
  };
}
