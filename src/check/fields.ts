/** Owns the fields of the frontmatter and what the contract says of each value. Never parses YAML, never looks at other files. */
import { type Diagnostic, type DiagnosticCode, diagnostic } from "../model/diagnostics.ts";
import { MAX_COMPATIBILITY_LENGTH, MAX_DESCRIPTION_LENGTH } from "../model/frontmatter.ts";
import { characterCount } from "../model/name.ts";
import type { JsonObject } from "../model/record.ts";
import { type AllowedTools, readAllowedTools } from "./allowed-tools.ts";
import type { Manifest } from "./manifest.ts";
import { refusedType } from "./reference-validator.ts";
import { isMapping, toJsonObject, toJsonText, type YamlValue } from "./yaml-value.ts";

/** The fields of the specification; all others are kept and noted. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  "name",
  "description",
  "license",
  "compatibility",
  "metadata",
  "allowed-tools",
]);

/** How many unknown fields are named; more tell an author nothing. */
const MAX_UNKNOWN_FIELDS = 100;

/** What the fields of one skill say. */
export interface Fields {
  /** All fields as read. */
  readonly frontmatter: JsonObject;
  readonly description: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly allowedTools: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads all fields but the name. */
export function readFields(manifest: Manifest): Fields {
  const tools = readAllowedTools(manifest.fields.get("allowed-tools"));
  const metadata = readMetadata(manifest.fields.get("metadata"));
  const diagnostics = [
    ...checkDescription(manifest),
    ...checkLength(manifest, "compatibility", MAX_COMPATIBILITY_LENGTH, "compatibility-too-long"),
    ...checkCompatibility(manifest),
    ...(metadata.changed === null ? [] : [metadataChanged(manifest, metadata.changed)]),
    ...checkTools(manifest, tools),
    ...unknownFields(manifest),
  ];
  return {
    frontmatter: toJsonObject(manifest.fields),
    description: textField(manifest, "description") ?? "",
    metadata: Object.fromEntries(metadata.entries),
    allowedTools: tools.names,
    diagnostics,
  };
}

/** A field that must be a text; null when it is absent, or a list or mapping, which counts as absent. */
export function textField(manifest: Manifest, key: string): string | null {
  const value = manifest.fields.get(key);
  return typeof value === "string" ? value : null;
}

function checkDescription(manifest: Manifest): Diagnostic[] {
  const description = textField(manifest, "description");
  if (description !== null && description.trim() !== "") {
    return checkLength(manifest, "description", MAX_DESCRIPTION_LENGTH, "description-too-long");
  }
  const value = manifest.fields.get("description");
  const problem = value === undefined ? "There is no description" : "The description is empty";
  const message =
    value === undefined || typeof value === "string" ? problem : `The description is ${kindOf(value)}, not a text`;
  const hint = "add `description:` with what the skill does and when to use it";
  return [diagnostic("description-missing", message, { ...manifest.placeOf("description"), hint })];
}

function checkLength(manifest: Manifest, key: string, limit: number, code: DiagnosticCode): Diagnostic[] {
  const length = characterCount(textField(manifest, key) ?? "");
  if (length <= limit) {
    return [];
  }
  const message = `The ${key} has ${length} characters, ${limit} are allowed`;
  return [diagnostic(code, message, { ...manifest.placeOf(key), hint: "shorten it; details belong in the body" })];
}

/** Kept and served as it is: the contract has no word on it. */
function checkCompatibility(manifest: Manifest): Diagnostic[] {
  const value = manifest.fields.get("compatibility");
  return value === undefined || typeof value === "string"
    ? []
    : [refusedType("compatibility", kindOf(value), manifest.placeOf("compatibility"))];
}

/** Every value a text; `changed` says what was not one. */
function readMetadata(value: YamlValue | undefined): { entries: [string, string][]; changed: string | null } {
  if (value === undefined || value === "") {
    return { entries: [], changed: null };
  }
  if (!isMapping(value)) {
    return { entries: [], changed: `metadata is ${kindOf(value)}, not a mapping; it is served as no metadata` };
  }
  const odd = [...value].filter(([, item]) => typeof item !== "string").map(([key]) => JSON.stringify(key));
  const entries = [...value].map(([key, item]): [string, string] => [
    key,
    typeof item === "string" ? item : toJsonText(item),
  ]);
  return { entries, changed: odd.length === 0 ? null : `metadata ${listed(odd)} became JSON text` };
}

function metadataChanged(manifest: Manifest, problem: string): Diagnostic {
  const hint = "give each key of metadata one text";
  return diagnostic("metadata-not-strings", upperFirst(problem), { ...manifest.placeOf("metadata"), hint });
}

function checkTools(manifest: Manifest, tools: AllowedTools): Diagnostic[] {
  if (tools.oddForm === null) {
    return [];
  }
  const hint = "write the names in one line, separated by blanks";
  return [
    diagnostic("allowed-tools-form", `allowed-tools ${tools.oddForm}`, { ...manifest.placeOf("allowed-tools"), hint }),
  ];
}

function unknownFields(manifest: Manifest): Diagnostic[] {
  return [...manifest.fields.keys()]
    .filter((key) => !KNOWN_FIELDS.has(key))
    .slice(0, MAX_UNKNOWN_FIELDS)
    .map((key) => {
      const meant = key.toLowerCase().replaceAll("_", "-");
      const hint = KNOWN_FIELDS.has(meant) ? { hint: `did you mean "${meant}"?` } : {};
      const message = `${JSON.stringify(shorten(key))} is no field of the specification; it is kept`;
      return diagnostic("unknown-field", message, { ...manifest.keyPlaceOf(key), ...hint });
    });
}

/** What a value is, in words. */
function kindOf(value: YamlValue): string {
  return typeof value === "string" ? "a text" : isMapping(value) ? "a mapping" : "a list";
}

function listed(items: readonly string[]): string {
  return items.length <= 5 ? items.join(", ") : `${items.slice(0, 5).join(", ")} and ${items.length - 5} more`;
}

function shorten(text: string): string {
  return text.length > 60 ? `${[...text].slice(0, 60).join("")}…` : text;
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
