/**
 * Owns reading the YAML that most frontmatters are: one line `key: text` after the other, with at most one level of such lines below a key.
 * Gives what the `yaml` package gives, several times faster; whatever is not that plain is left to it. Never reports a fault.
 */
import type { YamlPlace, YamlReading } from "./yaml-read.ts";
import type { YamlValue } from "./yaml-value.ts";

const LINE = /^( *)([A-Za-z][A-Za-z0-9_-]{0,99}):(?: +(?=\S)(.*))?$/;
/** A text without quotes, which begins with what begins nothing else. What ends it is looked for apart. */
const PLAIN = /^[A-Za-z0-9(/]/;
const ENDS_PLAIN = /: | #|[: ]$/;
const QUOTED = /^(?:"([^"\\]*)"|'([^']*)')$/;
/** Beyond these signs the package knows rules of its own. */
const UNUSUAL = /[^\n\x20-\x7e\u00a1-\u167f\u1681-\u1fff\u2010-\u2027\u2030-\u205e\u2070-\u2fff\u3001-\ud7ff]/;

/** The mapping below a key without a value. */
interface OpenMapping {
  readonly key: string;
  readonly entries: Map<string, string>;
  indent: number;
}

/** Reads a plain YAML text; null when it is not that plain. */
export function readPlainYaml(text: string): YamlReading | null {
  if (UNUSUAL.test(text) || !text.endsWith("\n")) {
    return null;
  }
  const mapping = new Map<string, YamlValue>();
  const places = new Map<string, YamlPlace>();
  let open: OpenMapping | null = null;
  let start = 0;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, blanks = "", key = "", written] = LINE.exec(line) ?? [];
    const value = written === undefined ? null : scalar(written);
    const offset = start + line.length - (written?.length ?? 0);
    if (key === "" || (written !== undefined && value === null)) {
      return null;
    }
    if (blanks === "") {
      if (mapping.has(key) || open?.entries.size === 0) {
        return null;
      }
      open = value === null ? { entries: new Map(), indent: 0, key } : null;
      mapping.set(key, value ?? open?.entries ?? "");
      places.set(key, { key: start, value: offset });
    } else {
      const isFirst: boolean = open?.entries.size === 0;
      if (open === null || value === null || open.entries.has(key) || (!isFirst && open.indent !== blanks.length)) {
        return null;
      }
      if (isFirst) {
        open.indent = blanks.length;
        places.set(open.key, { key: places.get(open.key)?.key ?? 0, value: start + blanks.length });
      }
      open.entries.set(key, value);
    }
    start += line.length + 1;
  }
  return open?.entries.size === 0 || mapping.size === 0
    ? null
    : { mapping, duplicates: new Map(), places, unusual: new Map() };
}

function scalar(written: string): string | null {
  const quoted = QUOTED.exec(written);
  if (quoted) {
    return quoted[1] ?? quoted[2] ?? "";
  }
  return PLAIN.test(written) && !ENDS_PLAIN.test(written) ? written : null;
}
