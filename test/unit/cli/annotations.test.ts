import { describe, expect, it } from "vitest";
import { annotations } from "../../../src/cli/github-annotations.ts";
import { cli, directoryOf, skillMd } from "../../helpers/cli.ts";

describe("annotations()", () => {
  it("are one line each, and nothing in them begins a command of its own", () => {
    const problem = {
      code: "yaml-invalid",
      severity: "error",
      message: "100%\r\n::set-output name=x::y",
      line: 2,
      column: 7,
      hint: "mend, it",
    } as const;
    expect(annotations([{ problem, path: "a:b,c/SKILL.md" }])).toEqual([
      "::error file=a%3Ab%2Cc/SKILL.md,line=2,col=7,title=yaml-invalid::100%25%0D%0A::set-output name=x::y%0Amend, it",
    ]);
  });

  it("leave out what is not known, and tell severities as GitHub names them", () => {
    const of = (severity: "warning" | "info") =>
      annotations([{ problem: { code: "bom", severity, message: "text" }, path: "SKILL.md" }]);
    expect([...of("warning"), ...of("info")]).toEqual([
      "::warning file=SKILL.md,title=bom::text",
      "::notice file=SKILL.md,title=bom::text",
    ]);
  });
});

describe("edge-skills check --github", () => {
  it("prints them on standard output, words for people elsewhere, and keeps its exit status", async () => {
    const cwd = directoryOf({ "skills/a/SKILL.md": skillMd("b"), "skills/c/SKILL.md": skillMd("c") });
    const { status, stdout, stderr } = await cli(["check", "skills", "--github"], { cwd });
    expect([status, stdout, stderr]).toEqual([
      0,
      expect.stringMatching(/^::warning file=skills\/a\/SKILL\.md,line=2,.*title=name-directory-mismatch::[^\n]+\n$/),
      expect.stringContaining("2 skills, 0 errors, 1 warning"),
    ]);
    expect((await cli(["check", "skills", "--github", "--json"], { cwd })).status).toBe(2);
  });
});
