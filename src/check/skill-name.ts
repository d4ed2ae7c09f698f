/** Owns which name a skill is served under, from its frontmatter and its directory, and what is odd about it. Never compares skills. */
import { type Diagnostic, type DiagnosticCode, diagnostic } from "../model/diagnostics.ts";
import {
  characterCount,
  isPortableName,
  isUnsafeName,
  isValidName,
  MAX_NAME_LENGTH,
  servedName,
  writtenName,
} from "../model/name.ts";
import { textField } from "./fields.ts";
import type { Manifest } from "./manifest.ts";
import { refusedName } from "./reference-validator.ts";

/** A skill's names. */
export interface SkillName {
  /** The served name; null when there is none. */
  readonly name: string | null;
  /** Other names that find the skill. */
  readonly aliases: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Settles the name of a skill in the directory called `directory`. */
export function settleName(manifest: Manifest, directory: string): SkillName {
  const place = manifest.placeOf("name");
  const say = (code: DiagnosticCode, message: string, hint: string) => diagnostic(code, message, { ...place, hint });

  const written = writtenName(textField(manifest, "name") ?? "");
  if (isUnsafeName(written)) {
    const message = `The name ${visible(written)} holds a control or invisible character`;
    return { name: null, aliases: [], diagnostics: [say("name-unsafe", message, "type the name again")] };
  }
  const served = servedName(written);
  const folder = directory.normalize("NFC");
  if (served === "") {
    return nameOfDirectory(manifest, written, folder);
  }
  const diagnostics: Diagnostic[] = [];
  const aliases = new Set<string>();
  if (served !== written) {
    const message = `${visible(written)} is not a valid name; it is served as "${served}"`;
    diagnostics.push(say("name-normalized", message, `write \`name: ${served}\``));
    aliases.add(written);
  }
  const elsewhere = served === written ? refusedName(written, place) : null;
  if (elsewhere !== null) {
    diagnostics.push(elsewhere);
  }
  if (folder !== written && folder !== served) {
    const message = `The directory is called ${visible(folder)}, the skill "${served}"`;
    diagnostics.push(say("name-directory-mismatch", message, "give both the same name"));
    if (folder !== "" && !isUnsafeName(folder)) {
      aliases.add(folder);
    }
  }
  return { name: served, aliases: [...aliases], diagnostics: [...diagnostics, ...checkServed(served, say)] };
}

/** The directory's name in place of one that is missing. */
function nameOfDirectory(manifest: Manifest, written: string, folder: string): SkillName {
  const usable = isValidName(folder);
  const what = written === "" ? "There is no name" : `The name ${visible(written)} has no letter or digit`;
  const then = usable
    ? `; the directory's name "${folder}" is used`
    : `, and the directory's name ${visible(folder)} cannot be used`;
  const problem = diagnostic("name-missing", what + then, {
    ...manifest.placeOf("name"),
    severity: usable ? "warning" : "error",
    hint: usable ? `add \`name: ${folder}\`` : "add `name:` with lower-case letters, digits and single hyphens",
  });
  if (!usable) {
    return { name: null, aliases: [], diagnostics: [problem] };
  }
  const place = manifest.placeOf("name");
  const say = (code: DiagnosticCode, message: string, hint: string) => diagnostic(code, message, { ...place, hint });
  return { name: folder, aliases: [], diagnostics: [problem, ...checkServed(folder, say)] };
}

function checkServed(
  served: string,
  say: (code: DiagnosticCode, message: string, hint: string) => Diagnostic,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  if (!isPortableName(served)) {
    const message = `The name "${served}" has letters outside a–z and 0–9; some hosts refuse it`;
    diagnostics.push(say("name-not-portable", message, "it is left out of MCP and well-known listings"));
  }
  const length = characterCount(served);
  if (length > MAX_NAME_LENGTH) {
    const message = `The name has ${length} characters, ${MAX_NAME_LENGTH} are allowed`;
    diagnostics.push(say("name-too-long", message, "shorten the name"));
  }
  return diagnostics;
}

/** A text in quotes with everything that cannot be seen written as an escape. */
function visible(text: string): string {
  const shown = [...text].slice(0, 80).join("");
  return JSON.stringify(shown).replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, (sign) => {
    return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
