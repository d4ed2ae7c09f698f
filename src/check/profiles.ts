/** Owns how bad each code is under the stricter profiles of `check --profile`. Never finds a problem, never decides what is served. */
import type { Diagnostic, DiagnosticCode } from "../model/diagnostics.ts";
import { baseName } from "../model/path.ts";

/** Whose rules count: this project's own, those of agentskills.io's reference validator, or those of skills over MCP. */
export const PROFILES = ["lenient", "spec", "mcp"] as const;

export type Profile = (typeof PROFILES)[number];

/** What is served here, but refused by every strict reader. */
const REFUSED_ELSEWHERE: readonly DiagnosticCode[] = [
  "bom",
  "leading-blank",
  "yaml-repaired",
  "yaml-duplicate-key",
  "name-missing",
  "name-normalized",
  "name-too-long",
  "name-directory-mismatch",
  "description-too-long",
  "compatibility-too-long",
];

const ERRORS: Readonly<Record<Profile, ReadonlySet<DiagnosticCode>>> = {
  lenient: new Set(),
  // The reference validator takes letters of any script, and looks at no type of `metadata` and `allowed-tools`.
  spec: new Set([...REFUSED_ELSEWHERE, "unknown-field", "refused-elsewhere"]),
  // Hosts need not take more, and address files by paths that every system has.
  mcp: new Set([
    ...REFUSED_ELSEWHERE,
    "skill-md-case",
    "name-not-portable",
    "metadata-not-strings",
    "allowed-tools-form",
    "too-many-files",
    "skill-too-large",
    "path-not-portable",
    "reference-missing",
    "reference-outside",
  ]),
};

/** A diagnostic as a profile judges it: no milder than it was. */
export function underProfile(problem: Diagnostic, profile: Profile): Diagnostic {
  const isError = ERRORS[profile].has(problem.code) || (profile === "spec" && isUnknownManifestName(problem));
  return isError ? { ...problem, severity: "error" } : problem;
}

/** The reference validator looks for `SKILL.md` and `skill.md`, and for no third spelling. */
function isUnknownManifestName({ code, file = "" }: Diagnostic): boolean {
  return code === "skill-md-case" && baseName(file) !== "skill.md";
}
