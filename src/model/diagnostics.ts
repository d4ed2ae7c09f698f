/** Owns the diagnostic codes of CONTRACT.md §2: what can be wrong with a skill, and how bad it is. Never reads a skill. */

export type Severity = "error" | "warning" | "info";

/** error = the skill is left out; warning = served, the author should look; info = worth knowing. Lenient profile. */
export const DIAGNOSTIC_SEVERITY = {
  "zero-skills": "error",
  "skill-md-case": "warning",
  "not-utf8": "error",
  bom: "info",
  crlf: "info",
  "leading-blank": "warning",
  "frontmatter-missing": "error",
  "frontmatter-unclosed": "error",
  "yaml-invalid": "error",
  "yaml-repaired": "warning",
  "yaml-duplicate-key": "warning",
  "name-missing": "warning",
  "name-normalized": "warning",
  "name-not-portable": "warning",
  "name-unsafe": "error",
  "name-too-long": "warning",
  "name-directory-mismatch": "warning",
  "description-missing": "error",
  "description-too-long": "warning",
  "compatibility-too-long": "warning",
  "metadata-not-strings": "warning",
  "allowed-tools-form": "warning",
  "unknown-field": "info",
  /** Beyond the contract: what only `--profile spec` minds. */
  "refused-elsewhere": "info",
  "body-long": "info",
  "reference-missing": "warning",
  "reference-outside": "warning",
  "nested-skill": "warning",
  "duplicate-skill": "warning",
  "symlink-skipped": "warning",
  "symlink-escapes": "error",
  "secret-file": "error",
  "path-not-portable": "warning",
  "path-case-collision": "error",
  "not-regular-file": "warning",
  "file-unreadable": "error",
  "file-too-large": "warning",
  "skill-too-large": "warning",
  "too-many-files": "warning",
  "script-not-runnable": "warning",
} as const satisfies Record<string, Severity>;

export type DiagnosticCode = keyof typeof DIAGNOSTIC_SEVERITY;

/** One thing about a skill that its author should know. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  readonly severity: Severity;
  /** What is wrong, quoting the value. */
  readonly message: string;
  /** Path relative to the skill, with `/`. */
  readonly file?: string;
  /** Counted from 1. */
  readonly line?: number;
  /** Counted from 1, in code points. */
  readonly column?: number;
  /** How to mend it. */
  readonly hint?: string;
}

/** Makes a diagnostic with the severity its code has; some codes state another one where the contract has two. */
export function diagnostic(
  code: DiagnosticCode,
  message: string,
  facts: Partial<Omit<Diagnostic, "code" | "message">> = {},
): Diagnostic {
  return { code, severity: DIAGNOSTIC_SEVERITY[code], message, ...facts };
}
