/** Texts on which reading once took minutes, or a stack: a skill put at run time is checked at the edge, where all tenants wait. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const MANIFEST = "---\nname: x\ndescription: x\n---\n";

const check = (files: Readonly<Record<string, string>>) =>
  checkSkill(...textSkill("x", { "SKILL.md": MANIFEST, ...files }));

describe("a text that leads a reader around in circles is read in one go", () => {
  test.each([
    [
      "comments in a list of dependencies that never ends",
      "scripts/a.py",
      `# /// script\n# dependencies = [\n${"# #aaa\n".repeat(40)}# ///\n`,
    ],
    [
      "comments with quotes behind them",
      "scripts/a.py",
      `# /// script\n# dependencies = [\n# ${"#".repeat(300_000)}"#\n# ]\n# ///\n`,
    ],
    ["quotes that are never closed", "scripts/a.py", `x = (${'\\"'.repeat(300_000)}`],
    ["a text of millions of escapes", "scripts/a.py", `x = ("${"\\a".repeat(4_000_000)}`],
    ["an import of blanks only", "scripts/a.py", `x; import a${"\t".repeat(300_000)}\u2028${"\t".repeat(300_000)}b`],
    ["blanks and signs before a separator of lines", "requirements.txt", `${"\t#".repeat(300_000)}\u2028`],
    ["a fence before a separator of lines", "SKILL.md", `${MANIFEST}[a](b)\n${"~".repeat(600_000)}\u2028`],
    [
      "options in texts that are never closed",
      "scripts/a.js",
      `import { parseArgs } from "node:util";\nparseArgs({ options: {${'\\"'.repeat(300_000)}`,
    ],
  ])("%s", (_, path, text) => {
    expect(check({ [path]: text }).name).toBe("x");
  });

  test("a quoted value in YAML that has to be repaired", () => {
    const value = `'${"''".repeat(60_000)}\u2028: x`;
    expect(check({ "SKILL.md": `---\nname: x\ndescription: x\nz: ${value}\n---\n` }).name).toBe("x");
  });
});

describe("what was read before is read still", () => {
  const needs = (text: string) => check({ "scripts/a.py": text }).skill?.scripts[0]?.reason ?? null;

  test("an import behind brackets in texts", () => {
    expect(needs('a = [\'(\', "[\\"{"]\nimport missing_one\n')).toContain("missing_one");
  });
});
