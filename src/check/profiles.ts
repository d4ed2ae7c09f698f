/** Owns how bad each code is under the stricter profiles of `check --profile`. Never finds a problem. */
import type { Diagnostic, DiagnosticCode } from "../model/diagnostics.ts";

/** Whose rules count: this project's own, those of agentskills.io, or those of skills over MCP. */
export const PROFILES = ["lenient", "spec", "mcp"] as const;

export type Profile = (typeof PROFILES)[number];

/** What is served here, but breaks a rule that the specification states. */
const BREAKS_SPEC: readonly DiagnosticCode[] = [
  "bom",
  "leading-blank",
  "yaml-repaired",
  "yaml-duplicate-key",
  "name-missing",
  "name-normalized",
  "name-not-portable",
  "name-too-long",
  "name-directory-mismatch",
  "description-too-long",
  "compatibility-too-long",
  "metadata-not-strings",
  "allowed-tools-form",
];

const ERRORS: Readonly<Record<Profile, ReadonlySet<DiagnosticCode>>> = {
  lenient: new Set(),
  spec: new Set([...BREAKS_SPEC, "unknown-field"]),
  // Hosts need not take more, and address files by paths that every system has.
  mcp: new Set([
    ...BREAKS_SPEC,
    "skill-md-case",
    "too-many-files",
    "skill-too-large",
    "path-not-portable",
    "reference-missing",
    "reference-outside",
  ]),
};

/** A diagnostic as a profile judges it: no milder than it was. */
export function underProfile(problem: Diagnostic, profile: Profile): Diagnostic {
  return ERRORS[profile].has(problem.code) ? { ...problem, severity: "error" } : problem;
}
