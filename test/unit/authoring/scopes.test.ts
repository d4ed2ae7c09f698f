/** `--scopes`: what a local agent would see, and whose skills are trusted. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, cliJson, directoryOf, skillMd, writeFiles } from "../../helpers/cli.ts";

function surroundings(files: Readonly<Record<string, string>>) {
  const top = directoryOf({ "project/README.md": "", "home/README.md": "", ...files });
  const [cwd, home] = [join(top, "project"), join(top, "home")];
  return { cwd, home, options: { cwd, env: { HOME: home } } };
}

const FILES = {
  "project/.claude/skills/a/SKILL.md": skillMd("a", "project claude"),
  "project/.agents/skills/a/SKILL.md": skillMd("a", "project agents"),
  "project/.agents/skills/b/SKILL.md": skillMd("b", "project agents"),
  "project/.git/skills/no/SKILL.md": skillMd("no"),
  "home/.zed/skills/c/SKILL.md": skillMd("c", "user zed"),
  "home/.agents/skills/b/SKILL.md": skillMd("b", "user agents"),
  "home/.agents/skills/d/SKILL.md": skillMd("d", "user agents"),
  "home/.cache/other.txt": "",
};

interface Listed {
  readonly scopes: readonly object[];
  readonly skills: readonly { readonly name: string; readonly path: string; readonly served?: false }[];
}

const served = (document: unknown) =>
  (document as Listed).skills.filter(({ served }) => served !== false).map(({ path }) => path);

describe("check --scopes", () => {
  test("leaves out and reports a project's skills until the project is trusted", async () => {
    const { options, home } = surroundings(FILES);
    const before = await cliJson(["check", "--scopes"], options);
    expect(before).toMatchObject({
      status: 0,
      document: {
        scopes: [
          { scope: "project", client: "claude", path: ".claude/skills", trusted: false },
          { scope: "project", client: "agents", path: ".agents/skills", trusted: false },
          { scope: "user", client: "zed", path: "../home/.zed/skills", trusted: true },
          { scope: "user", client: "agents", path: "../home/.agents/skills", trusted: true },
        ],
        summary: { skills: 3 },
      },
    });
    expect(before.stderr).toContain("untrusted .claude/skills is left out");

    await cli(["check", "--scopes", "--trust"], options);
    const after = await cliJson(["check", "--scopes"], options);
    expect(served(after.document)).toEqual([
      "../home/.agents/skills/d",
      "../home/.zed/skills/c",
      ".agents/skills/b",
      ".claude/skills/a",
    ]);
    expect(readdirSync(join(home, ".config/edge-skills"))).toEqual(["trust.json"]);
  });

  test("trusts no project by a list of the project's own, nor another project", async () => {
    const { options, cwd, home } = surroundings(FILES);
    writeFiles(home, { ".config/edge-skills/trust.json": JSON.stringify({ projects: [join(home, "elsewhere")] }) });
    writeFiles(cwd, { ".config/edge-skills/trust.json": JSON.stringify({ projects: [cwd] }) });
    expect(served((await cliJson(["check", "--scopes"], options)).document)).toHaveLength(3);
  });

  test("takes the home directory for the user's, not for a project", async () => {
    const { home } = surroundings(FILES);
    const { document } = await cliJson(["check", "--scopes"], { cwd: home, env: { HOME: home } });
    expect((document as Listed).scopes).toMatchObject([{ scope: "user" }, { scope: "user" }]);
  });

  test("refuses a damaged trust list, two projects, and --trust alone", async () => {
    const { options, home } = surroundings(FILES);
    expect((await cli(["check", "--trust"], options)).status).toBe(2);
    expect((await cli(["check", "--scopes", ".", ".."], options)).status).toBe(2);
    writeFiles(home, { ".config/edge-skills/trust.json": "{" });
    expect(await cliJson(["check", "--scopes"], options)).toMatchObject({
      status: 2,
      document: { error: { code: "config-invalid" } },
    });
  });
});

describe("pack --scopes", () => {
  test("writes what a local agent would see", async () => {
    const { options, cwd, home } = surroundings(FILES);
    writeFileSync(join(home, "keep"), "");
    const { document } = await cliJson(["pack", "--scopes", "--trust", "-o", "../bundle"], options);
    const digest = String((document as { layers: { platform: string } }).layers.platform).slice("sha256:".length);
    const index = JSON.parse(readFileSync(join(cwd, "../bundle/index", digest), "utf8"));
    expect(index.skills.map(({ name }: { name: string }) => name)).toEqual(["a", "b", "c", "d"]);
  });

  test("of another directory looks there", async () => {
    const { options, home } = surroundings(FILES);
    const { document } = await cliJson(["check", "../project", "--scopes", "--trust"], { ...options, cwd: home });
    expect(served(document)).toContain("../project/.claude/skills/a");
  });
});
