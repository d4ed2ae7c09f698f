/** `edge-skills import` and `export`: what is brought, what is refused, and that the way there and back changes nothing. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SkillsError } from "../../../src/model/errors.ts";
import { openArchive } from "../../../src/pack/archive/open-archive.ts";
import { makeTar, makeTarGz, makeZip } from "../../helpers/archives.ts";
import { cli, cliJson, directoryOf, skillMd, writeFiles } from "../../helpers/cli.ts";

const entry = (name: string, text: string) => ({ name, bytes: Buffer.from(text) });
const GOOD = entry("good/SKILL.md", skillMd("good"));
const BAD = entry("bad/SKILL.md", "---\nname: bad\n---\n");

/** A directory with one file. */
function directoryWith(name: string, bytes: Uint8Array): string {
  const cwd = directoryOf({});
  writeFileSync(join(cwd, name), bytes);
  return cwd;
}

describe("import", () => {
  test("of a good and a bad skill brings the good one, tells of the bad one, and exits with 1", async () => {
    const cwd = directoryWith("both.zip", makeZip([BAD, GOOD]));
    expect(await cliJson(["import", "both.zip", "--to", "to"], { cwd })).toMatchObject({
      status: 1,
      document: {
        skills: [
          { name: "good", path: "to/good", ok: true, placement: "added", files: ["SKILL.md"], diagnostics: [] },
          { name: "bad", path: "bad", ok: false, diagnostics: [{ code: "description-missing" }] },
        ],
        summary: { skills: 1, errors: 1, warnings: 0 },
      },
    });
    expect(readdirSync(join(cwd, "to"))).toEqual(["good"]);
  });

  test("of a root without a name uses that of the archive", async () => {
    const archive = makeZip([entry("SKILL.md", "---\ndescription: x\n---\n")]);
    const { document } = await cliJson(["import", "bird-log.skill"], { cwd: directoryWith("bird-log.skill", archive) });
    expect(document).toMatchObject({
      skills: [{ name: "bird-log", path: "bird-log", diagnostics: [{ code: "name-missing" }] }],
    });
  });

  test("of a git checkout leaves out its history and what it ignores", async () => {
    const cwd = directoryOf({
      "checkout/.gitignore": "*.log\n",
      "checkout/README.md": "",
      "checkout/skills/a/SKILL.md": skillMd("a"),
      "checkout/skills/a/run.log": "",
      "checkout/skills/a/.git/HEAD": "",
      "checkout/node_modules/b/SKILL.md": skillMd("b"),
    });
    execFileSync("git", ["init", "-q", join(cwd, "checkout")]);
    expect((await cli(["import", "checkout", "--to", "to"], { cwd })).status).toBe(0);
    expect(readdirSync(join(cwd, "to"), { recursive: true }).sort()).toEqual(["a", "a/SKILL.md"]);
  });

  test("again changes nothing; what differs is refused, or replaced on demand", async () => {
    const cwd = directoryOf({ "from/a/SKILL.md": skillMd("a"), "from/b/SKILL.md": skillMd("b") });
    const words = ["import", "from", "--to", "to"];
    await cli(words, { cwd });
    expect((await cli(words, { cwd })).stdout).toBe("to/a  unchanged\nto/b  unchanged\n");

    writeFiles(cwd, { "to/b/extra.md": "mine", "from/a/new.md": "", "from/c/SKILL.md": skillMd("c") });
    const refused = await cliJson(words, { cwd });
    expect(refused).toMatchObject({ status: 2, document: { error: { code: "output-exists" } } });
    expect(readdirSync(join(cwd, "to")).sort()).toEqual(["a", "b"]);
    expect((await cli([...words, "--force"], { cwd })).stdout).toBe("to/a  replaced\nto/b  replaced\nto/c  added\n");
    expect(readdirSync(join(cwd, "to"), { recursive: true }).sort()).toEqual([
      "a",
      "a/SKILL.md",
      "a/new.md",
      "b",
      "b/SKILL.md",
      "c",
      "c/SKILL.md",
    ]);
  });

  test("of two skills with one name brings the first", async () => {
    const cwd = directoryOf({ "x/a/SKILL.md": skillMd("a", "one"), "y/a/SKILL.md": skillMd("a", "two") });
    const { status, document } = await cliJson(["import", "x", "y", "--to", "to"], { cwd });
    expect([status, document]).toMatchObject([
      0,
      { skills: [{ ok: true }, { ok: false, diagnostics: [{ code: "duplicate-skill" }] }] },
    ]);
    expect(readFileSync(join(cwd, "to/a/SKILL.md"), "utf8")).toBe(skillMd("a", "one"));
  });

  test("never writes through a link that is in its way", async () => {
    const cwd = directoryOf({ "from/a/SKILL.md": skillMd("a"), "outside/keep.txt": "kept" });
    mkdirSync(join(cwd, "to"));
    symlinkSync("../outside", join(cwd, "to/a"));
    expect((await cli(["import", "from", "--to", "to"], { cwd })).status).toBe(2);
    expect((await cli(["import", "from", "--to", "to", "--force"], { cwd })).status).toBe(0);
    expect(readdirSync(join(cwd, "outside"))).toEqual(["keep.txt"]);
    expect(readdirSync(join(cwd, "to/a"))).toEqual(["SKILL.md"]);
  });

  test("refuses a file as the place to import to", async () => {
    const cwd = directoryOf({ "from/a/SKILL.md": skillMd("a"), to: "text" });
    expect(await cliJson(["import", "from", "--to", "to"], { cwd })).toMatchObject({
      status: 2,
      document: { error: { code: "usage" } },
    });
    expect(readFileSync(join(cwd, "to"), "utf8")).toBe("text");
  });

  test("refuses a secret, and leaves nothing behind when nothing is left to bring", async () => {
    const cwd = directoryWith("s.tgz", makeTarGz([entry("s/SKILL.md", skillMd("s")), entry("s/.env", "KEY=1")]));
    const { status, document } = await cliJson(["import", "s.tgz", "--to", "to"], { cwd });
    expect([status, document]).toMatchObject([
      1,
      { skills: [{ name: "s", ok: false, diagnostics: [{ code: "secret-file" }] }] },
    ]);
    expect(readdirSync(cwd)).toEqual(["s.tgz"]);
  });

  test.each([
    ["a file that is not there", "nowhere.zip", 2, "directory-missing"],
    ["a repository by its address", "git@example.test:a/b.git", 2, "directory-missing"],
    ["a directory without skills", ".", 1, "skill-md-missing"],
  ])("refuses %s", async (_, source, status, code) => {
    const answer = await cliJson(["import", source, "--to", "to"], { cwd: directoryOf({ "a.md": "" }) });
    expect(answer).toMatchObject({ status, document: { error: { code } } });
  });
});

describe("openArchive()", () => {
  const limits = { entries: 3, bytes: 4_000, archiveBytes: 100_000, ratio: 10, freeBytes: 2_000 };
  const many = [1, 2, 3, 4].map((n) => entry(`${n}`, ""));
  const zeros = (size: number) => [{ name: "a", bytes: new Uint8Array(size) }];
  const cases: [string, Uint8Array, string | null][] = [
    ["a zip at its limits", makeZip(zeros(2_000)), null],
    ["a tar at its limits", makeTarGz(zeros(2_000)), null],
    ["a tar without gzip", makeTar([GOOD]), null],
    ["a zip of many entries", makeZip(many), "archive-too-many-files"],
    ["a tar of many entries", makeTarGz(many), "archive-too-many-files"],
    ["a zip that grows", makeZip(zeros(2_001)), "archive-too-large"],
    ["a tar that grows", makeTarGz(zeros(2_001)), "archive-too-large"],
    ["an archive of many bytes", new Uint8Array(100_001), "archive-too-large"],
    ["a stated size that is too small", makeZip([{ ...GOOD, flags: { declared_size: 3 } }]), "archive-corrupt"],
    ["a wrong checksum of gzip", makeTarGz([GOOD], "wrong"), "archive-corrupt"],
    ["a cut tar", makeTar([GOOD]).subarray(0, 600), "archive-corrupt"],
    ["a file that is a directory as well", makeZip([entry("a", ""), entry("a/b", "")]), "archive-corrupt"],
    ["a name of 300 characters", makeZip([entry("a".repeat(300), "")]), "archive-unsafe-path"],
    ["a device", makeTarGz([{ name: "a", type: "char-device" }]), "archive-link"],
  ];
  test.each(cases)("on %s", async (_, bytes, code) => {
    const outcome = await openArchive(bytes, limits).then(
      () => null,
      (error: SkillsError) => error.code,
    );
    expect(outcome).toBe(code);
  });

  test("on a path of hundreds of thousands of parts says so", async () => {
    const long = makeTarGz([{ ...GOOD, name: "a/".repeat(300_000), flags: { pax: true } }]);
    await expect(openArchive(long)).rejects.toMatchObject({ code: "archive-unsafe-path" });
  });

  const files = [GOOD, entry("good/a.md", "a".repeat(3_000)), entry("good/b/ü.md", "")];
  test.each([
    ["zip", makeZip(files)],
    ["tar.gz", makeTarGz(files)],
    ["tar", makeTar(files)],
  ])("on any damage to a %s answers its files or says what is wrong", async (_, whole) => {
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      bytes: fc.uint8Array({ maxLength: 8 }),
      cut: fc.nat(whole.length),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, bytes, cut }) => {
        const damaged = Buffer.from(whole);
        damaged.set(bytes.subarray(0, whole.length - at), at);
        for (const made of [damaged, damaged.subarray(0, cut), damaged.subarray(cut)]) {
          const outcome = await openArchive(made).catch((error: unknown) => error);
          expect(outcome instanceof Map || (SkillsError.is(outcome) && outcome.code.startsWith("archive-"))).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("on any bytes says what is wrong", async () => {
    const magic = fc.constantFrom([], [0x1f, 0x8b], [0x50, 0x4b], [0x50, 0x4b, 3, 4], [0x50, 0x4b, 5, 6]);
    await fc.assert(
      fc.asyncProperty(magic, fc.uint8Array({ maxLength: 1_000 }), async (start, rest) => {
        const outcome = await openArchive(Uint8Array.from([...start, ...rest])).catch((error: unknown) => error);
        expect(outcome instanceof Map || SkillsError.is(outcome)).toBe(true);
      }),
    );
  });
});

describe("export", () => {
  const skill = {
    "skills/a/SKILL.md": skillMd("a"),
    "skills/a/b.md": "text",
    "skills/a/c d/é#1.bin": "\u0000",
    "skills/a/.hidden": "",
    "skills/a/scripts/__proto__": "x",
    "skills/a/1": "",
  };

  test.each(["a.zip", "a.skill", "a.tar.gz", "a.tgz"])("to %s and import give the same digest", async (out) => {
    const cwd = directoryOf(skill);
    const { status, stdout } = await cli(["export", "a", "-o", out, "--from", "skills"], { cwd });
    expect(status).toBe(0);
    expect((await cliJson(["import", out, "--to", "back"], { cwd })).document).toMatchObject({
      skills: [{ name: "a", path: "back/a", digest: stdout.trim() }],
    });
    const first = readFileSync(join(cwd, out));
    await cli(["export", "a", "-o", out, "--from", "back"], { cwd });
    expect(readFileSync(join(cwd, out)).equals(first)).toBe(true);
    expect(readdirSync(cwd).sort()).toEqual([out, "back", "skills"]);
  });

  test("makes a plain ustar with files at the root, in path order, without times", async () => {
    const cwd = directoryOf({ ...skill, [`skills/a/${"p".repeat(90)}/${"n".repeat(90)}`]: "long" });
    await cli(["export", "a", "-o", "a.tar.gz", "--from", "skills"], { cwd });
    const listed = execFileSync("tar", ["tzf", "a.tar.gz", "--quoting-style=literal"], { cwd, encoding: "utf8" });
    expect(listed.trim().split("\n")).toEqual([
      ".hidden",
      "1",
      "SKILL.md",
      "b.md",
      "c d/é#1.bin",
      `${"p".repeat(90)}/${"n".repeat(90)}`,
      "scripts/__proto__",
    ]);
  });

  test.each([
    ["a name part of 101 bytes", "n".repeat(101)],
    ["a path that cannot be cut in two", `${"p".repeat(160)}/x`],
  ])("refuses %s for tar, with a hint to zip", async (_, path) => {
    const cwd = directoryOf({ "skills/a/SKILL.md": skillMd("a"), [`skills/a/${path}`]: "" });
    const words = ["export", "a", "--from", "skills", "-o"];
    const { status, stderr } = await cli([...words, "a.tgz"], { cwd });
    expect([status, stderr]).toEqual([1, expect.stringContaining("make a .zip")]);
    expect((await cli([...words, "a.zip"], { cwd })).status).toBe(0);
    expect(readdirSync(cwd).sort()).toEqual(["a.zip", "skills"]);
  });

  test.each(["a\\b.md", "C:x.md"])(
    "refuses %j, which would unpack as another path; packing it only warns",
    async (path) => {
      const cwd = directoryOf({ "skills/a/SKILL.md": skillMd("a"), [`skills/a/${path}`]: "" });
      const { status, document } = await cliJson(["export", "a", "--from", "skills", "-o", "a.zip"], { cwd });
      expect([status, document]).toEqual([
        1,
        {
          error: {
            code: "archive-unsafe-path",
            message: expect.stringContaining(JSON.stringify(path)),
            hint: "rename the file",
          },
        },
      ]);
      const checked = await cliJson(["check", "skills"], { cwd });
      expect([checked.status, checked.document]).toEqual([
        0,
        expect.objectContaining({
          skills: [expect.objectContaining({ diagnostics: [expect.objectContaining({ code: "path-not-portable" })] })],
        }),
      ]);
    },
  );

  test("takes a skill from a packed bundle, by any of its names, a tenant's before the platform's", async () => {
    const cwd = directoryOf({
      "s/platform/a/SKILL.md": skillMd("Tool A", "platform"),
      "s/tenants/t/a/SKILL.md": skillMd("tool-a", "tenant"),
    });
    await cli(["pack", "s", "-o", "bundle"], { cwd });
    const bodyOf = async (name: string, ...flags: string[]) => {
      await cli(["export", name, "-o", "x.zip", "--from", "bundle", ...flags], { cwd });
      const files = await openArchive(readFileSync(join(cwd, "x.zip")));
      return Buffer.from(files.get("SKILL.md") ?? [])
        .toString()
        .split("---\n")
        .at(-1);
    };
    expect([await bodyOf("TOOL A"), await bodyOf("tool-a", "--tenant", "t")]).toEqual(["platform", "tenant"]);
  });

  test.each([
    [["export", "nope", "-o", "x.zip", "--from", "skills"], 1, "skill-not-found"],
    [["export", "a", "-o", "x.rar", "--from", "skills"], 2, "usage"],
    [["export", "a", "-o", "skills.zip", "--from", "skills"], 2, "usage"],
  ])("%j is refused", async (words, status, code) => {
    const cwd = directoryOf(skill);
    mkdirSync(join(cwd, "skills.zip"));
    expect(await cliJson(words, { cwd })).toMatchObject({ status, document: { error: { code } } });
    expect(readdirSync(cwd)).toEqual(["skills", "skills.zip"]);
  });
});
