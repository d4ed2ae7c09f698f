/** `edge-skills init`: a skill that checks clean, and nothing overwritten. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, cliJson, directoryOf } from "../../helpers/cli.ts";

describe("init", () => {
  test("writes a skill that checks clean under every profile, with a script that knows its arguments", async () => {
    const cwd = directoryOf({});
    const made = await cliJson(["init", "skills/bird-log"], { cwd });
    expect(made).toMatchObject({
      status: 0,
      document: {
        name: "bird-log",
        path: "skills/bird-log",
        files: ["SKILL.md", "references/styles.md", "scripts/greet.py"],
      },
    });
    for (const profile of ["lenient", "spec", "mcp"]) {
      expect((await cliJson(["check", "skills", "--strict", "--profile", profile], { cwd })).document).toMatchObject({
        skills: [{ name: "bird-log", ok: true, diagnostics: [] }],
        summary: { errors: 0, warnings: 0 },
      });
    }
    expect(readFileSync(join(cwd, "skills/bird-log/SKILL.md"), "utf8")).toMatch(
      /^---\nname: bird-log\ndescription: \w/,
    );
  });

  test("takes the current directory when none is named, and a directory that is empty", async () => {
    const cwd = directoryOf({});
    mkdirSync(join(cwd, "new-one"));
    expect(await cli(["init"], { cwd: join(cwd, "new-one") })).toMatchObject({ status: 0, stdout: ".\n" });
    expect(readdirSync(join(cwd, "new-one")).sort()).toEqual(["SKILL.md", "references", "scripts"]);
  });

  test.each([
    ["Bird Log", 2, "usage"],
    ["bird_log", 2, "usage"],
    ["x".repeat(65), 2, "usage"],
    ["full", 2, "output-exists"],
    ["full/a.md", 2, "usage"],
  ])("refuses %j and leaves everything as it was", async (name, status, code) => {
    const cwd = directoryOf({ "full/a.md": "" });
    expect(await cliJson(["init", name], { cwd })).toMatchObject({ status, document: { error: { code } } });
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(["full", "full/a.md"]);
  });
});
