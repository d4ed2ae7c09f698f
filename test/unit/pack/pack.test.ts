/** Packing as a whole: determinism, layers, duplicates, compiled scripts, links that no case has. */
import { chmodSync, mkdirSync, symlinkSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeIndex } from "../../../src/bundle/index-format.ts";
import { decodeRecord } from "../../../src/bundle/record-format.ts";
import { type Packed, packSkills } from "../../../src/pack/pack.ts";
import { manifest, plant, temporaryDirectory } from "../../helpers/directories.ts";
import { sha256 } from "../../helpers/skill-files.ts";

const compile = async () => ({ code: "compiled" });
const pack = (top: string) => packSkills({ roots: [top] }, { base: top, compile });

const codesOf = (packed: Packed) => [
  ...packed.diagnostics.map(({ code }) => code),
  ...packed.skills.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)),
];

function recordsOf({ layers }: Packed) {
  return layers.flatMap(({ index, blobs }) =>
    decodeIndex(index).skills.map((entry) => decodeRecord(blobs.get(entry.record) ?? new Uint8Array()).record),
  );
}

const filesOf = (packed: Packed) => recordsOf(packed).flatMap(({ files }) => files.map(({ path }) => path));

const TREE = {
  "a/SKILL.md": manifest("a"),
  "a/scripts/x.js": "console.log(1)",
  "a/deep/er/file.txt": "x",
  "b/SKILL.md": manifest("b"),
  "b/data.bin": new Uint8Array([0, 1, 2]),
  "group/c/SKILL.md": manifest("c"),
};

describe("the digest", () => {
  test("does not depend on place, order, modes, times or leftovers", async () => {
    const first = await pack(plant(TREE));
    const top = plant(Object.fromEntries(Object.entries(TREE).reverse()), join(temporaryDirectory(), "else", "where"));
    chmodSync(join(top, "a/scripts/x.js"), 0o755);
    utimesSync(join(top, "b/data.bin"), 1, 1);
    mkdirSync(join(top, "a/empty"));
    plant({ "a/.DS_Store": "x", "README.md": "x", "node_modules/k/SKILL.md": manifest("k") }, top);
    const second = await pack(top);

    expect(second.digest).toBe(first.digest);
    expect(second.layers[0]?.index).toEqual(first.layers[0]?.index);
    expect([...(second.layers[0]?.blobs.keys() ?? [])].sort()).toEqual(
      [...(first.layers[0]?.blobs.keys() ?? [])].sort(),
    );
  });

  test("changes with any path and any byte", async () => {
    const change = fc.record({
      path: fc.constantFrom(...Object.keys(TREE).filter((path) => !path.endsWith("SKILL.md"))),
      how: fc.constantFrom("byte", "name"),
    });
    const first = await pack(plant(TREE));
    await fc.assert(
      fc.asyncProperty(change, async ({ path, how }) => {
        const { [path as keyof typeof TREE]: content, ...rest } = TREE;
        const changed = how === "byte" ? { ...rest, [path]: `${content}!` } : { ...rest, [`${path}2`]: content };
        expect((await pack(plant(changed))).digest).not.toBe(first.digest);
      }),
      { numRuns: 12 },
    );
  });

  test("names the bytes: index and blobs have theirs, and the whole that of its layers", async () => {
    const { digest, layers } = await pack(plant(TREE));
    const [layer] = layers;
    expect(layer?.digest).toBe(sha256(layer?.index ?? ""));
    expect([...(layer?.blobs ?? [])].every(([name, bytes]) => sha256(bytes) === name)).toBe(true);
    expect(digest).toBe(sha256(`platform ${layer?.digest}\n`));
  });

  test("of a skill does not depend on its directory's name", async () => {
    const [one, other] = await Promise.all([
      pack(plant({ "a/SKILL.md": manifest("a") })),
      pack(plant({ "b/SKILL.md": manifest("a") })),
    ]);
    expect(recordsOf(one)[0]?.digest).toBe(recordsOf(other)[0]?.digest);
  });
});

test("one broken skill among many costs itself only, and every problem is reported", async () => {
  const good = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`s${n}/SKILL.md`, manifest(`s${n}`)]));
  const packed = await pack(plant({ ...good, "broken/SKILL.md": "---\nname: [\n---\n", "worse/SKILL.md": "" }));
  expect(packed.layers[0]?.skills).toBe(60);
  const broken = packed.skills.filter(({ ok }) => !ok);
  expect(broken).toMatchObject([
    { path: "broken", name: null, diagnostics: [{ code: "yaml-invalid", file: "SKILL.md", line: 3 }] },
    { path: "worse", name: null, diagnostics: [{ code: "frontmatter-missing" }] },
  ]);
});

test("a later duplicate is read, reported and not served", async () => {
  const packed = await pack(plant({ "a/SKILL.md": manifest("x"), "b/x/SKILL.md": manifest("x") }));
  expect(packed.skills).toMatchObject([
    { path: "a", ok: true },
    { path: "b/x", ok: true, served: false },
  ]);
  expect(packed.skills[0]).not.toHaveProperty("served");
  expect(recordsOf(packed)).toHaveLength(1);
});

describe("compiled scripts", () => {
  const files = { "a/SKILL.md": manifest("a"), "a/scripts/x.ts": "1", "a/scripts/y.py": "", "a/lib.ts": "2" };

  test("are blobs, and the script names them", async () => {
    const packed = await pack(plant(files));
    const [script, python] = recordsOf(packed)[0]?.scripts ?? [];
    expect(script).toMatchObject({ path: "scripts/x.ts", runnable: true, compiled: sha256("compiled") });
    expect(python).toMatchObject({ compiled: null });
    expect(packed.layers[0]?.blobs.has(sha256("compiled"))).toBe(true);
  });

  test("that do not compile are listed with the reason", async () => {
    const failing = async () => ({ error: { message: "Unexpected end", file: "scripts/x.ts", line: 7 } });
    const top = plant(files);
    const packed = await packSkills({ roots: [top] }, { base: top, compile: failing });
    const [script] = recordsOf(packed)[0]?.scripts ?? [];
    expect(script).toMatchObject({
      runnable: false,
      compiled: null,
      reason: expect.stringContaining("Unexpected end"),
    });
    expect(packed.skills[0]?.diagnostics).toMatchObject([
      { code: "script-not-runnable", file: "scripts/x.ts", line: 7 },
    ]);
  });

  test("are given all files of the skill", async () => {
    const seen: string[] = [];
    const top = plant(files);
    await packSkills(
      { roots: [top] },
      {
        base: top,
        compile: async (source) => {
          seen.push(...source.files.keys());
          return { code: "" };
        },
      },
    );
    expect(seen).toEqual(["SKILL.md", "lib.ts", "scripts/x.ts", "scripts/y.py"]);
  });
});

describe("links", () => {
  const skill = { "a/SKILL.md": manifest("a"), "a/x.md": "x", "common/c.md": "c" };

  test("are followed through more links than the system would", async () => {
    const top = plant(skill);
    for (let n = 0; n < 100; n++) {
      symlinkSync(n === 0 ? "../common" : `l${n - 1}`, join(top, "a", `l${n}`));
    }
    const packed = await pack(top);
    expect(codesOf(packed)).toEqual([]);
    expect(filesOf(packed)).toContain("l99/c.md");
  });

  test.each([
    ["an absolute one within", (top: string) => join(top, "common/c.md"), []],
    ["one out and back in", (top: string) => `../../${basename(top)}/common/c.md`, []],
    ["one to the root itself", () => "..", ["symlink-skipped"]],
    ["one above the root", () => "../..", ["symlink-escapes"]],
    ["an absolute one to nothing outside", () => "/nonexistent/x", ["symlink-escapes"]],
    ["one through a file", () => "x.md/y", ["symlink-skipped"]],
    ["one into .git", () => "../.git/config", ["symlink-skipped"]],
    ["one to what git ignores", () => "../out/o.txt", ["symlink-skipped"]],
    ["one to a secret", () => "../.env.local", ["secret-file"]],
  ])("%s", async (_, target, codes) => {
    const top = plant({ ...skill, ".git/config": "x", "out/o.txt": "x", ".env.local": "x", ".gitignore": "out/\n" });
    symlinkSync(target(top), join(top, "a/link"));
    expect(codesOf(await pack(top))).toEqual(codes);
  });

  test("in a ring end", async () => {
    const top = plant({ ...skill, "b/y.md": "y" });
    symlinkSync("../b", join(top, "a/b"));
    symlinkSync("../a", join(top, "b/a"));
    const packed = await pack(top);
    expect(packed.skills[0]?.diagnostics).toMatchObject([{ code: "symlink-skipped", file: "b/a" }]);
    expect(filesOf(packed)).toEqual(["b/y.md", "x.md"]);
  });

  test("that multiply without end are refused in time", { timeout: 10_000 }, async () => {
    const top = plant({ "a/SKILL.md": manifest("a"), "d0/x": "" });
    for (let n = 1; n < 40; n++) {
      mkdirSync(join(top, `d${n}`));
      symlinkSync(`../d${n - 1}`, join(top, `d${n}/l`));
      symlinkSync(`../d${n - 1}`, join(top, `d${n}/r`));
    }
    symlinkSync("../d39", join(top, "a/d"));
    expect((await pack(top)).skills[0]?.diagnostics).toMatchObject([{ code: "too-many-files", severity: "error" }]);
  });

  test("a tenant may lead to the platform, not to another tenant", async () => {
    const top = plant({
      "platform/p/SKILL.md": manifest("p"),
      "tenants/x/x/SKILL.md": manifest("x"),
      "tenants/y/y/SKILL.md": manifest("y"),
    });
    symlinkSync("../../../platform/p/SKILL.md", join(top, "tenants/x/x/p.md"));
    symlinkSync("../../x/x/SKILL.md", join(top, "tenants/y/y/x.md"));
    const layers = ["platform", "tenants/x", "tenants/y"].map((root) => ({
      name: basename(root),
      roots: [join(top, root)],
    }));
    const packed = await packSkills({ layers }, { base: top, compile });
    expect(packed.skills.map(({ path, ok }) => [path, ok])).toEqual([
      ["platform/p", true],
      ["tenants/x/x", true],
      ["tenants/y/y", false],
    ]);
  });
});

test("a file beyond the limit is not read, and its skill is left out", async () => {
  const limits = {
    hosts: { files: 9, skillBytes: 99, fileBytes: 99 },
    storage: { files: 9, skillBytes: 500, fileBytes: 100 },
  };
  const top = plant({ "a/SKILL.md": manifest("a"), "a/big.bin": "x".repeat(101), "b/SKILL.md": manifest("b") });
  const packed = await packSkills({ roots: [top] }, { base: top, compile, limits });
  expect(packed.skills.map(({ path, ok }) => [path, ok])).toEqual([
    ["a", false],
    ["b", true],
  ]);
});

test("a directory that is not there is wrong use", async () => {
  await expect(packSkills({ roots: [join(temporaryDirectory(), "none")] })).rejects.toMatchObject({
    code: "directory-missing",
  });
});

test("a skill below two roots is found once", async () => {
  const top = plant(TREE);
  const packed = await packSkills({ roots: [top, join(top, "group")] }, { base: top, compile });
  expect(packed.skills.map(({ path }) => path)).toEqual(["a", "b", "group/c"]);
});

test("of a skill that is left out, and of one that is there twice, all scripts are looked at in the same pass", async () => {
  const broken = { "scripts/run.js": "const = 1;\n", "scripts/run.py": "def f(:\n", "scripts/run.ps1": "x\n" };
  const under = (folder: string) =>
    Object.fromEntries(Object.entries(broken).map(([path, text]) => [`${folder}/${path}`, text]));
  const top = plant({
    "a/SKILL.md": "---\nname: a\n",
    ...under("a"),
    "b/SKILL.md": "---\nname: b\n---\n",
    ...under("b"),
    "c/SKILL.md": manifest("c"),
    "d/SKILL.md": manifest("c"),
    ...under("d"),
  });
  const { skills } = await packSkills({ roots: [top] }, { base: top });
  const told = (folder: string) => skills.find(({ path }) => path === folder)?.diagnostics ?? [];
  const ofScripts = (folder: string) => told(folder).filter(({ code }) => code === "script-not-runnable");
  for (const folder of ["a", "b", "d"]) {
    expect([folder, ofScripts(folder).map(({ file, line }) => [file, line])]).toEqual([
      folder,
      [
        ["scripts/run.js", 1],
        ["scripts/run.ps1", undefined],
        ["scripts/run.py", 1],
      ],
    ]);
  }
  const codes = (folder: string) => told(folder).map(({ code }) => code);
  expect(codes("a")).toContain("frontmatter-unclosed");
  expect(codes("b")).toContain("description-missing");
  expect(codes("d")).toContain("duplicate-skill");
});
