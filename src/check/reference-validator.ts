/**
 * Owns what agentskills.io's reference validator refuses although it is served here: its YAML knows less, it ends the frontmatter at any `---`,
 * and it asks more of a name in other scripts. Told as `refused-elsewhere`, an error under `--profile spec`. Never keeps a skill from being served.
 */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { characterCount, MAX_NAME_LENGTH } from "../model/name.ts";
import type { YamlMapping } from "./yaml-value.ts";

/** Forms of YAML that it does not take. */
export const UNUSUAL_YAML = {
  flow: ["lists and mappings in brackets", "write each item on a line of its own"],
  tag: ["tags such as `!!str`", "remove the tag: every value is a text"],
  anchor: ["anchors and aliases", "write the value again where the alias stands"],
} as const;

export type UnusualYaml = keyof typeof UNUSUAL_YAML;

type Place = Pick<Diagnostic, "file" | "line" | "column">;

/** That it does not take a form of YAML which stands at a place. */
export function refusedYaml(form: UnusualYaml, place: Place): Diagnostic {
  const [what, hint] = UNUSUAL_YAML[form];
  return refused(`does not read ${what}`, hint, place);
}

/** That a field has to be a text there. */
export function refusedType(key: string, kind: string, place: Place): Diagnostic {
  return refused(`wants ${key} to be a text; it is ${kind}`, "write one text", place);
}

/**
 * That it reads a frontmatter only up to a `---` within a line, and what is left is none: `read` answers the fields of what is left, null for
 * what is no YAML. Null when it would take that.
 */
export function refusedCut(yaml: string, read: (cut: string) => YamlMapping | null, place: Place): Diagnostic | null {
  const at = yaml.indexOf("---");
  const fields = at < 0 ? null : read(`${yaml.slice(0, at)}\n`);
  const isWhole = (key: string): boolean => {
    const value = fields?.get(key);
    return typeof value === "string" && value.trim() !== "";
  };
  return at < 0 || (isWhole("name") && isWhole("description"))
    ? null
    : refused("ends the frontmatter at the first `---`, also within a line", "write another dash: — or --", place);
}

/** That a name which is valid here is none there: marks that change a letter are no letters, and names are spelt out (NFKC) before they are judged. */
export function refusedName(name: string, place: Place): Diagnostic | null {
  const plain = name.normalize("NFKC");
  const isTaken =
    plain === plain.toLowerCase() &&
    /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*$/u.test(plain) &&
    (characterCount(plain) <= MAX_NAME_LENGTH || characterCount(name) > MAX_NAME_LENGTH);
  return isTaken
    ? null
    : refused("takes only lower-case letters, digits and hyphens, no marks upon them", "choose another name", place);
}

function refused(what: string, hint: string, place: Place): Diagnostic {
  return diagnostic("refused-elsewhere", `The reference validator of agentskills.io ${what}`, { ...place, hint });
}
