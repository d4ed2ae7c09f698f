import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as commands from "../../helpers/cli.ts";

const { directoryOf, skillMd, writeFiles } = commands;
const pool = new commands.PlatformPool();
const cli = (words: readonly string[], surroundings: commands.CliSurroundings) =>
  commands.cli(words, { startPlatform: pool.start, ...surroundings });
const cliJson = (words: readonly string[], surroundings: commands.CliSurroundings) =>
  commands.cliJson(words, { startPlatform: pool.start, ...surroundings });
afterAll(() => pool.stop());

const GOOD = { "good/SKILL.md": skillMd("good"), "good/scripts/hello.sh": "echo hello\n" };
const WARNED = { "warned/SKILL.md": skillMd("Warned One") };
const BROKEN = { "broken/SKILL.md": "---\nname: broken\n---\n" };
const LAYERED = {
  "platform/refund/SKILL.md": skillMd("refund", "The platform's.\n"),
  "platform/common/SKILL.md": skillMd("common"),
  "tenants/acme/refund/SKILL.md": skillMd("refund", "Acme's.\n"),
  "tenants/zeta/own/SKILL.md": skillMd("own"),
};
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Every file below a directory with its bytes. */
function snapshotOf(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(directory.length), readFileSync(path, "base64")];
    }),
  );
}

describe("edge-skills check", () => {
  it("exits with 0 for good skills, and --json prints the document of the contract", async () => {
    const cwd = directoryOf({ ...GOOD, ...WARNED });
    expect(await cliJson(["check", "."], { cwd })).toEqual({
      status: 0,
      document: {
        skills: [
          { name: "good", path: "good", layer: "platform", ok: true, diagnostics: [] },
          {
            name: "warned-one",
            path: "warned",
            layer: "platform",
            ok: true,
            diagnostics: [
              expect.objectContaining({ code: "name-directory-mismatch", severity: "warning" }),
              expect.objectContaining({ code: "name-normalized", severity: "warning", file: "SKILL.md", line: 2 }),
            ],
          },
        ],
        diagnostics: [],
        summary: { skills: 2, errors: 0, warnings: 2 },
      },
      stderr: "",
    });
  });

  it("exits with 1 for a broken one and tells people every problem with its place", async () => {
    const { status, stdout, stderr } = await cli(["check", "."], {
      cwd: directoryOf({ ...GOOD, ...BROKEN, ...WARNED }),
    });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^broken \(broken\)\n {2}error SKILL\.md:\S* .*\(description-missing\)/);
    expect(stderr).toContain("(name-normalized)");
    expect(stderr).toMatch(/3 skills, 1 error, 2 warnings\n$/);
  });

  it("with --strict exits with 1 for a warning, and with 0 without one", async () => {
    const cwd = directoryOf({ ...GOOD, ...WARNED });
    const statuses = await Promise.all([".", "good"].map((dir) => cli(["check", dir, "--strict"], { cwd })));
    expect(statuses.map(({ status }) => status)).toEqual([1, 0]);
  });

  it("reads several directories, and skills-bundle when none is named", async () => {
    const cwd = directoryOf({ "skills-bundle/one/SKILL.md": skillMd("one"), "more/two/SKILL.md": skillMd("two") });
    const named = await cliJson(["check", "skills-bundle", "more"], { cwd });
    const byDefault = await cliJson(["check"], { cwd });
    expect([named.document, byDefault.document]).toMatchObject([
      { summary: { skills: 2 } },
      { summary: { skills: 1 } },
    ]);
  });

  it("exits with 1 where there is no skill at all", async () => {
    const { status, document } = await cliJson(["check", "."], { cwd: directoryOf({ "notes.txt": "no skill" }) });
    expect(status).toBe(1);
    expect(document).toMatchObject({ skills: [], diagnostics: [{ code: "zero-skills", severity: "error" }] });
  });
});

describe("edge-skills pack", { timeout: 60_000 }, () => {
  it("writes the bundle and prints its digest; --json tells the layers'", async () => {
    const cwd = directoryOf(LAYERED);
    const { status, stdout, stderr } = await cli(["pack", ".", "-o", "out"], { cwd });
    expect([status, stdout.trimEnd(), stderr]).toEqual([
      0,
      expect.stringMatching(DIGEST),
      "Packed 4 skills in 3 layers to out\n",
    ]);
    const { document } = await cliJson(["pack", ".", "-o", "out2"], { cwd });
    const digest = expect.stringMatching(DIGEST);
    expect(document).toEqual({
      digest: stdout.trimEnd(),
      layers: { platform: digest, acme: digest, zeta: digest },
      skills: expect.arrayContaining([expect.objectContaining({ name: "refund", layer: "acme", ok: true })]),
      diagnostics: [],
    });
    expect(snapshotOf(join(cwd, "out2"))).toEqual(snapshotOf(join(cwd, "out")));
  });

  it("gives the same bytes from another place", async () => {
    const [here, there] = [directoryOf(GOOD), directoryOf({})];
    mkdirSync(join(there, "deep/er"), { recursive: true });
    cpSync(here, join(there, "deep/er"), { recursive: true });
    await cli(["pack", ".", "-o", "../out"], { cwd: join(here, "good") });
    await cli(["pack", join(there, "deep/er"), "--out", "out"], { cwd: there });
    expect(snapshotOf(join(there, "out"))).toEqual(snapshotOf(join(here, "out")));
  });

  it("writes the good skills among broken ones, and exits with 1", async () => {
    const cwd = directoryOf({ ...GOOD, ...BROKEN });
    const { status, document, stderr } = await cliJson(["pack", ".", "-o", "out"], { cwd });
    expect([status, stderr]).toEqual([1, expect.stringContaining("description-missing")]);
    expect(document).toMatchObject({
      skills: [
        { name: "broken", ok: false },
        { name: "good", ok: true },
      ],
    });
    const listed = await cliJson(["list", "--from", "out"], { cwd });
    expect(listed.document).toMatchObject({ skills: [{ name: "good" }] });
  });

  it("replaces a bundle, and leaves it alone when there is no skill to serve", async () => {
    const cwd = directoryOf({ ...GOOD, "empty/notes.txt": "no skill" });
    await cli(["pack", "good", "-o", "out"], { cwd });
    const first = snapshotOf(join(cwd, "out"));
    const { status, stderr } = await cli(["pack", "empty", "-o", "out"], { cwd });
    expect([status, stderr]).toEqual([1, expect.stringContaining("Nothing is written to out")]);
    expect(snapshotOf(join(cwd, "out"))).toEqual(first);
    writeFiles(cwd, { "good/references/new.md": "new\n" });
    expect((await cli(["pack", "good", "-o", "out"], { cwd })).status).toBe(0);
    expect(snapshotOf(join(cwd, "out"))).not.toEqual(first);
  });

  it.each([
    ["a directory with something else", { "out/precious.txt": "mine" }],
    ["a bundle with something else beside it", { "out/bundle.json": "{}", "out/precious.txt": "mine" }],
    ["a file", { out: "mine" }],
  ])("refuses to write over %s, and leaves it as it was", async (_, files) => {
    const cwd = directoryOf({ ...GOOD, ...files });
    const before = snapshotOf(cwd);
    const { status, document } = await cliJson(["pack", "good", "-o", "out"], { cwd });
    expect([status, document]).toMatchObject([2, { error: { code: "output-exists" } }]);
    expect(snapshotOf(cwd)).toEqual(before);
  });

  it("replaces a bundle that is damaged", async () => {
    const cwd = directoryOf({ ...GOOD, "out/bundle.json": "{" });
    expect((await cli(["pack", "good", "-o", "out"], { cwd })).status).toBe(0);
    expect((await cli(["list", "--from", "out"], { cwd })).status).toBe(0);
  });
});

describe("edge-skills list and show", { timeout: 60_000 }, () => {
  it("answer the same over a directory and over the bundle packed from it", async () => {
    const cwd = directoryOf(LAYERED);
    await cli(["pack", ".", "-o", "../bundle-of-it"], { cwd: join(cwd, "platform") });
    for (const words of [["list"], ["show", "refund"]]) {
      const over = await Promise.all(
        ["platform", "bundle-of-it"].map((from) => cliJson([...words, "--from", from], { cwd })),
      );
      expect(over[0]).toEqual(over[1]);
      expect(over[0]?.status).toBe(0);
    }
  });

  it("tell which skills are left out, and of warnings only how many", async () => {
    const cwd = directoryOf({ ...GOOD, ...BROKEN, ...WARNED });
    const { status, stderr } = await cli(["list", "--from", "."], { cwd });
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /^broken \(broken\)\n {2}error SKILL\.md:1:1: .*\(description-missing\)\n {4}.*\n2 warnings; edge-skills check \. tells more\n2 skills\n$/,
    );
  });

  it("for a tenant that nobody knows is a slip, told with the tenants there are; one that settings name is none", async () => {
    const cwd = directoryOf({ ...LAYERED, "edge-skills.json": '{ "filters": [{ "tenant": "new", "deny": ["x"] }] }' });
    const [nope, named, people] = [
      await cliJson(["list", "--from", ".", "--tenant", "nope"], { cwd }),
      await cliJson(["list", "--from", ".", "--tenant", "new"], { cwd }),
      await cli(["list", "--from", ".", "--tenant", "nope"], { cwd }),
    ];
    expect([nope.status, nope.document]).toEqual([
      2,
      {
        error: {
          code: "usage",
          message: 'Cannot list for tenant "nope": it has no skills, and no settings name it',
          candidates: ["acme", "zeta"],
        },
      },
    ]);
    expect(named.status).toBe(0);
    expect(people.stderr).toContain("known: acme, zeta\n");
  });

  it("of layers give all, or what a tenant sees", async () => {
    const cwd = directoryOf(LAYERED);
    const from = ["--from", "."];
    const [all, acme, shown, platforms, people] = [
      await cliJson(["list", ...from], { cwd }),
      await cliJson(["list", ...from, "--tenant", "acme"], { cwd }),
      await cliJson(["show", "refund", ...from, "--tenant", "acme"], { cwd }),
      await cliJson(["show", "refund", ...from], { cwd }),
      await cli(["list", ...from], { cwd }),
    ];
    const named = (document: unknown) =>
      (document as { skills: { name: string; layer: string }[] }).skills.map(({ name, layer }) => `${layer}/${name}`);
    expect(named(all.document)).toEqual(["platform/common", "platform/refund", "acme/refund", "zeta/own"]);
    expect(named(acme.document)).toEqual(["platform/common", "acme/refund"]);
    expect([shown.document, platforms.document]).toMatchObject([{ body: "Acme's.\n" }, { body: "The platform's.\n" }]);
    expect(people.stdout).toContain("refund  [acme]  0 files, 0 scripts\n    What refund does.\n");
    expect(people.stderr).toBe("4 skills\n");
  });

  it("show prints frontmatter's facts, files, scripts and body for people", async () => {
    const { status, stdout } = await cli(["show", "good", "--from", "."], { cwd: directoryOf(GOOD) });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^good {2}\[platform\] {2}sha256:[0-9a-f]{64}\nWhat good does\.\n/);
    expect(stdout).toContain("\n  scripts/hello.sh  11 bytes,");
    expect(stdout).toContain("\n  run scripts/hello.sh  bash\n");
    expect(stdout).toMatch(/\n\nFollow the steps\.\n$/);
  });

  it("show of a skill that is not there exits with 1 and names those that are near", async () => {
    const cwd = directoryOf(GOOD);
    const { status, stdout, stderr } = await cli(["show", "god", "--from", "."], { cwd });
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/\(skill-not-found\)\n {2}known: good\n/);
  });

  it.each([
    ["a blob was altered", (out: string) => damage(out, "blob", () => "altered"), "bundle-damaged"],
    ["an index was altered", (out: string) => damage(out, "index", (text) => `${text} `), "bundle-damaged"],
    ["bundle.json is not JSON", (out: string) => writeFileSync(join(out, "bundle.json"), "{"), "bundle-damaged"],
    [
      "the format is of another version",
      (out: string) => writeFileSync(join(out, "bundle.json"), '{"format":99}'),
      "bundle-format-unknown",
    ],
  ])("exit with 1 for a bundle of which %s, as does deploy", async (_, harm, code) => {
    const cwd = directoryOf(GOOD);
    await cli(["pack", "good", "-o", "out"], { cwd });
    harm(join(cwd, "out"));
    for (const words of [
      ["list", "--from", "out"],
      ["deploy", "out"],
    ]) {
      expect(await cliJson(words, { cwd })).toMatchObject({ status: 1, document: { error: { code } } });
    }
  });

  it.each(["no-such-channel", "./no-such-directory"])("exit with 2 for %s", async (from) => {
    const { status } = await cli(["list", "--from", from], { cwd: directoryOf({}) });
    expect(status).toBe(2);
  });

  it("say what to do when nothing was deployed", async () => {
    const { status, stdout, stderr } = await cli(["list"], { cwd: directoryOf({}) });
    expect([status, stdout]).toEqual([0, ""]);
    expect(stderr).toContain("edge-skills deploy skills-bundle");
  });
});

/** Alters the first file of a part of a bundle. */
function damage(out: string, part: "blob" | "index", change: (text: string) => string): void {
  const [name = ""] = readdirSync(join(out, part));
  const file = join(out, part, name);
  writeFileSync(file, change(readFileSync(file, "utf8")));
}
