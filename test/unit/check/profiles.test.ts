/** Profiles: what each refuses that the lenient one serves. */
import { describe, expect, test } from "vitest";
import { type Profile, underProfile } from "../../../src/check/profiles.ts";
import { type DiagnosticCode, diagnostic } from "../../../src/model/diagnostics.ts";

describe("under a profile", () => {
  test.each<[Profile, DiagnosticCode, string]>([
    ["lenient", "name-too-long", "warning"],
    ["spec", "name-too-long", "error"],
    ["spec", "unknown-field", "error"],
    ["spec", "too-many-files", "warning"],
    ["mcp", "unknown-field", "info"],
    ["mcp", "too-many-files", "error"],
    ["mcp", "yaml-invalid", "error"],
    ["spec", "body-long", "info"],
  ])("%s, %s is an %s", (profile, code, severity) => {
    expect(underProfile(diagnostic(code, ""), profile)).toEqual({ ...diagnostic(code, ""), severity });
  });
});
