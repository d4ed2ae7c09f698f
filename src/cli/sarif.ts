/** Owns the report of `check --sarif`: SARIF 2.1.0, which code hosts show beside the lines. Never judges a skill. */
import { DIAGNOSTIC_GUIDE } from "../check/diagnostic-guide.ts";
import { DIAGNOSTIC_SEVERITY, type Diagnostic, type DiagnosticCode, type Severity } from "../model/diagnostics.ts";

/** A diagnostic with the file it is shown at, relative to the current directory, with `/`. */
export interface LocatedDiagnostic {
  readonly problem: Diagnostic;
  readonly path: string;
}

const LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

const CODES = Object.keys(DIAGNOSTIC_GUIDE) as DiagnosticCode[];

/** The whole report; `version` is this program's. Rules and results come in one order on every machine. */
export function sarifDocument(problems: readonly LocatedDiagnostic[], version: string): object {
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "edge-skills", semanticVersion: version, rules: CODES.map(rule) } },
        columnKind: "unicodeCodePoints",
        results: problems.map(result),
      },
    ],
  };
}

function rule(code: DiagnosticCode): object {
  const { title, mend } = DIAGNOSTIC_GUIDE[code];
  return {
    id: code,
    shortDescription: { text: title },
    help: { text: mend },
    defaultConfiguration: { level: LEVELS[DIAGNOSTIC_SEVERITY[code]] },
  };
}

function result({ problem, path }: LocatedDiagnostic): object {
  const { code, severity, message, hint, line, column } = problem;
  // Hosts show what has a line; a problem of the whole file stands at its first.
  const region = { startLine: line ?? 1, ...(column === undefined ? {} : { startColumn: column }) };
  return {
    ruleId: code,
    ruleIndex: CODES.indexOf(code),
    level: LEVELS[severity],
    message: { text: hint === undefined ? message : `${message}. ${upperFirst(hint)}.` },
    locations: [{ physicalLocation: { artifactLocation: { uri: uriOf(path) }, region } }],
  };
}

/** A relative URI: each part percent-encoded, so that a blank or `#` in a name stays part of it. */
function uriOf(path: string): string {
  return path.split("/").map(encodePart).join("/");
}

function encodePart(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
