/** `edge-skills check`: profiles, carets, SARIF. */
import { describe, expect, test } from "vitest";
import { cli, cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";

const WARNED = { "a/SKILL.md": skillMd("Tidy Up") };

describe("check --profile", () => {
  test.each([
    [[], 0],
    [["--strict"], 1],
    [["--profile", "lenient"], 0],
    [["--profile", "spec"], 1],
    [["--profile", "mcp"], 1],
  ])("with %j exits with %i, and serves the same skills", async (flags, status) => {
    const cwd = directoryOf(WARNED);
    const answer = await cliJson(["check", ".", ...flags], { cwd });
    expect(answer).toMatchObject({ status, document: { skills: [{ name: "tidy-up", path: "a", ok: true }] } });
  });

  test("changes severities and nothing else: what is served, and packed, stays", async () => {
    const cwd = directoryOf({
      "s/my skill/SKILL.md": "---\nname: My Skill\ndescription: x\nother: [y]\n---\n[a](b.md)\n",
      "s/bad/SKILL.md": "---\nname: bad\n---\n",
      "s/good/SKILL.md": skillMd("good"),
    });
    const calls = [[], ["--strict"], ["--profile", "spec"], ["--profile", "mcp", "--strict"]];
    const plain = await Promise.all(
      calls.map(async (flags) => {
        const { document } = await cliJson(["check", "s", ...flags], { cwd });
        const { skills } = document as { skills: { diagnostics: object[] }[] };
        return skills.map(({ diagnostics, ...rest }) => ({
          ...rest,
          diagnostics: diagnostics.map((problem) => ({ ...problem, severity: "any" })),
        }));
      }),
    );
    expect(plain.slice(1)).toEqual([plain[0], plain[0], plain[0]]);
    expect(plain[0]).toMatchObject([{ ok: false }, { ok: true }, { name: "my-skill", ok: true }]);
  });

  test("counts what the profile refuses as errors", async () => {
    const cwd = directoryOf(WARNED);
    expect((await cliJson(["check", ".", "--profile", "spec"], { cwd })).document).toMatchObject({
      summary: { skills: 1, errors: 2, warnings: 0 },
    });
  });

  test("that is unknown is wrong use", async () => {
    expect((await cli(["check", ".", "--profile", "loose"], { cwd: directoryOf(WARNED) })).status).toBe(2);
  });
});

describe("a caret", () => {
  const shown = async (text: string) =>
    (await cli(["check", "."], { cwd: directoryOf({ "a/SKILL.md": text }) })).stderr;

  test("stands below the value that is meant, in the line of the file", async () => {
    expect(await shown("---\nname: a\ndescription: Use when: always\n---\n")).toContain(
      [
        "  warning SKILL.md:3:14: The value of description holds a colon; the rest of the line was read as text (yaml-repaired)",
        "    description: Use when: always",
        "                 ^",
        "    put the value in quotes",
        "",
      ].join("\n"),
    );
  });

  test("stands at the quote that is never closed", async () => {
    expect(await shown('---\nname: a\ndescription: "Use it\nlicense: MIT\n---\n')).toContain(
      '    description: "Use it\n                 ^\n',
    );
  });

  test("counts a wide sign as two columns, and shows nothing that moves the cursor", async () => {
    expect(await shown("---\nname: a\ndescription: x\n茶\u202e: *nowhere\n---\n")).toContain(
      "    茶·: *nowhere\n         ^\n",
    );
    expect(await shown("---\nname: a\ndescription: x\n茶茶: *nowhere\n---\n")).toContain(
      "    茶茶: *nowhere\n          ^\n",
    );
  });

  test("comes with a part of a line that is very long", async () => {
    const text = await shown(
      `---\nname: a\ndescription: x\nlicense: ${"y".repeat(500)}\nz: {a: ${"b".repeat(300)}: c}\n---\n`,
    );
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(170);
  });
});

describe("check --sarif", () => {
  test("prints a report with a rule for each code and a place for each result", async () => {
    const cwd = directoryOf({ "my skills/a#1/SKILL.md": skillMd("Tidy Up"), "b/SKILL.md": "---\nname: b\n---\n" });
    const { status, stdout } = await cli(["check", ".", "--sarif"], { cwd });
    const report = JSON.parse(stdout);
    const [run] = report.runs;
    expect([status, report.version, run.tool.driver.name, run.columnKind]).toEqual([
      1,
      "2.1.0",
      "edge-skills",
      "unicodeCodePoints",
    ]);
    expect(
      run.results.map((result: { ruleId: string; level: string; locations: readonly object[] }) => [
        result.ruleId,
        result.level,
        ...result.locations,
      ]),
    ).toEqual([
      ["description-missing", "error", place("b/SKILL.md", 1, 1)],
      ["name-directory-mismatch", "warning", place("my%20skills/a%231/SKILL.md", 2, 7)],
      ["name-normalized", "warning", place("my%20skills/a%231/SKILL.md", 2, 7)],
    ]);
    for (const { ruleId, ruleIndex } of run.results) {
      expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
    }
  });

  test("has no result for what is fine, and stands alone", async () => {
    const cwd = directoryOf({ "a/SKILL.md": skillMd("a") });
    const { status, stdout } = await cli(["check", ".", "--sarif"], { cwd });
    expect([status, JSON.parse(stdout).runs[0].results]).toEqual([0, []]);
    expect((await cli(["check", ".", "--sarif", "--json"], { cwd })).status).toBe(2);
  });
});

function place(uri: string, startLine: number, startColumn: number): object {
  return { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } };
}

describe("one broken skill among a hundred", () => {
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`s${n}/SKILL.md`, n === 42 ? "---\nname: s42\n---\n" : skillMd(`s${n}`)]),
  );

  test("keeps none of the others from being packed, and makes the status 1", async () => {
    const top = directoryOf(Object.fromEntries(Object.entries(files).map(([path, text]) => [`skills/${path}`, text])));
    const { status, document } = await cliJson(["pack", "skills", "-o", "bundle"], { cwd: top });
    const { skills } = document as { skills: readonly { path: string; ok: boolean }[] };
    expect([status, skills.length, skills.filter(({ ok }) => !ok).map(({ path }) => path)]).toEqual([
      1,
      100,
      ["skills/s42"],
    ]);
    expect((await cliJson(["list", "--from", "bundle"], { cwd: top })).document).toMatchObject({
      skills: { length: 99 },
    });
  });
});
