/** Owns the reading of a SKILL.md's bytes into fields and body, and where each field stands. Never judges a field. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { splitFrontmatter } from "./frontmatter.ts";
import { refusedCut, refusedYaml } from "./reference-validator.ts";
import { readManifestText } from "./text.ts";
import { positionIn, YamlFault } from "./yaml-parse.ts";
import { readPlainYaml } from "./yaml-plain.ts";
import { readYaml, type YamlReading } from "./yaml-read.ts";
import { type Repair, repairYaml } from "./yaml-repair.ts";
import type { YamlMapping } from "./yaml-value.ts";

/** How many duplicate keys are named; more tell an author nothing. */
const MAX_DUPLICATES = 20;

/** Where a diagnostic points. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A SKILL.md that was read. */
export interface Manifest {
  /** Its path: SKILL.md, in the spelling it was found with. */
  readonly file: string;
  readonly fields: YamlMapping;
  readonly body: string;
  /** Line of the file on which the body begins. */
  readonly bodyLine: number;
  /** True when strict readers would refuse the YAML: it was repaired, or a key is there twice. */
  readonly isMended: boolean;
  /** Where the value of a field stands; the opening delimiter for a field that is not there. */
  placeOf(key: string): Place;
  /** Where the key of a field stands. */
  keyPlaceOf(key: string): Place;
}

/** The manifest, null when it cannot be read, and what was odd about its text and its YAML. */
export interface ManifestReading {
  readonly manifest: Manifest | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the bytes of a SKILL.md called `file`. */
export function readManifest(bytes: Uint8Array, file: string): ManifestReading {
  const { text, diagnostics: textDiagnostics } = readManifestText(bytes, file);
  if (text === null) {
    return { manifest: null, diagnostics: textDiagnostics };
  }
  const { parts, diagnostics: splitDiagnostics } = splitFrontmatter(text, file);
  const seen = [...textDiagnostics, ...splitDiagnostics];
  if (parts === null) {
    return { manifest: null, diagnostics: seen };
  }
  const place = (yaml: string, offset: number): Place => {
    const { line, column } = positionIn(yaml, offset);
    return { file, line: line + parts.yamlLine - 1, column };
  };
  const read = readRepaired(parts.yaml, place);
  if (!("reading" in read)) {
    return { manifest: null, diagnostics: [...seen, read.problem] };
  }
  const { reading, yaml, repair } = read;
  const opening: Place = { file, line: parts.yamlLine - 1, column: 1 };
  const found = (offset: number | undefined) => (offset === undefined ? opening : place(yaml, offset));
  const manifest: Manifest = {
    file,
    fields: reading.mapping,
    body: parts.body,
    bodyLine: parts.bodyLine,
    isMended: repair !== null || reading.duplicates.size > 0,
    placeOf: (key) => found(reading.places.get(key)?.value),
    keyPlaceOf: (key) => found(reading.places.get(key)?.key),
  };
  const repaired = (repair?.lines ?? []).map(({ key, line, column }) =>
    diagnostic("yaml-repaired", `The value of ${key} holds a colon; the rest of the line was read as text`, {
      file,
      line: line + parts.yamlLine - 1,
      column,
      hint: "put the value in quotes",
    }),
  );
  const duplicates = [...reading.duplicates].slice(0, MAX_DUPLICATES).map(([key, offset]) =>
    diagnostic("yaml-duplicate-key", `The key ${JSON.stringify(key)} is there twice; the last one counts`, {
      ...place(yaml, offset),
      hint: "remove one of them",
    }),
  );
  const unusual = [...reading.unusual].map(([form, offset]) => refusedYaml(form, place(yaml, offset)));
  const cut = refusedCut(parts.yaml, fieldsOf, place(parts.yaml, parts.yaml.indexOf("---")));
  return { manifest, diagnostics: [...seen, ...repaired, ...duplicates, ...unusual, ...(cut === null ? [] : [cut])] };
}

type RepairedReading =
  | { readonly reading: YamlReading; readonly yaml: string; readonly repair: Repair | null }
  | { readonly problem: Diagnostic };

/** Reads YAML; when it does not parse, once more after the repair. */
function readRepaired(yaml: string, place: (yaml: string, offset: number) => Place): RepairedReading {
  const first = tryRead(yaml);
  if (!(first instanceof YamlFault)) {
    return { reading: first, yaml, repair: null };
  }
  const repair = repairYaml(yaml);
  const second = repair.lines.length > 0 ? tryRead(repair.text) : first;
  if (!(second instanceof YamlFault)) {
    return { reading: second, yaml: repair.text, repair };
  }
  const hint = "mend the YAML; a text with special signs goes in quotes";
  const at = place(repair.lines.length > 0 ? repair.text : yaml, second.offset);
  return {
    problem: diagnostic("yaml-invalid", `The frontmatter is not valid YAML: ${second.message}`, { ...at, hint }),
  };
}

function fieldsOf(yaml: string): YamlMapping | null {
  const reading = tryRead(yaml);
  return reading instanceof YamlFault ? null : reading.mapping;
}

function tryRead(yaml: string): YamlReading | YamlFault {
  try {
    return readPlainYaml(yaml) ?? readYaml(yaml);
  } catch (error) {
    return error instanceof YamlFault ? error : new YamlFault(String(error), 0);
  }
}
