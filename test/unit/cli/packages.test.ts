/** `packages build|lock` and `--wheels`: from an index to wheels, their lock, and skills that use them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";
import { hex, serveIndex, wheelBytes } from "../../helpers/wheels.ts";

const LOW = wheelBytes({ "lowest.py": "def lower(text): return text.lower()\n" });
const GREETER = wheelBytes({ "greeter/__init__.py": "import lowest\n" }, ["lowest>=0.1"]);
const WHEELS = {
  "Greeter_Kit-1.2-py3-none-any.whl": { bytes: GREETER },
  "lowest-0.1-py3-none-any.whl": { bytes: LOW },
};
const LOCK = {
  format: 1,
  packages: [
    { name: "greeter-kit", version: "1.2", file: "Greeter_Kit-1.2-py3-none-any.whl", digest: `sha256:${hex(GREETER)}` },
    { name: "lowest", version: "0.1", file: "lowest-0.1-py3-none-any.whl", digest: `sha256:${hex(LOW)}` },
  ],
};
const SKILL = { "skills/a/SKILL.md": skillMd("a"), "skills/a/scripts/main.py": "import greeter\n" };

const lockIn = (cwd: string): unknown => JSON.parse(readFileSync(join(cwd, "edge-skills.lock"), "utf8"));

test("packages build fetches what is named and what that needs, and locks it; again without names, the very same", async () => {
  const cwd = directoryOf({});
  const { index, asked } = await serveIndex(WHEELS);
  const built = await cliJson(["packages", "build", "greeter-kit", "--from-index", index], { cwd });
  expect([built.status, built.document, lockIn(cwd)]).toEqual([
    0,
    { wheels: "wheels", lock: "edge-skills.lock", packages: LOCK.packages },
    LOCK,
  ]);
  const newer = await serveIndex({
    ...WHEELS,
    "lowest-0.2-py3-none-any.whl": { bytes: wheelBytes({ "lowest.py": "" }) },
  });
  const again = await cliJson(["packages", "build", "--from-index", newer.index], { cwd });
  expect([again.status, lockIn(cwd), readdirSync(join(cwd, "wheels")).sort()]).toEqual([
    0,
    LOCK,
    Object.keys(WHEELS).sort(),
  ]);
  expect(asked).toContain("/simple/lowest/");
});

test("packages build writes nothing when the index has another wheel than the locked one", async () => {
  const cwd = directoryOf({ "edge-skills.lock": JSON.stringify(LOCK) });
  const { index } = await serveIndex({
    ...WHEELS,
    "lowest-0.1-py3-none-any.whl": { bytes: wheelBytes({ "x.py": "" }) },
  });
  const { status, document } = await cliJson(["packages", "build", "--from-index", index], { cwd });
  expect([status, document, readdirSync(cwd)]).toEqual([
    1,
    {
      error: {
        code: "packages-invalid",
        message: expect.stringMatching(/lowest-0\.1\S+ has the digest/),
        hint: "it was changed on its way, or the index has another file of this name; nothing was written",
      },
    },
    ["edge-skills.lock"],
  ]);
});

test.each([
  [["packages", "build", "a @ http://127.0.0.1/a.whl"], "usage", 2],
  [["packages", "build", "-r", "none.txt"], "usage", 2],
  [["packages", "build", "a", "--from-index", "file:///tmp"], "usage", 2],
  [["packages", "lock"], "usage", 2],
  [["packages", "lock", "--wheels", "nowhere"], "directory-missing", 2],
])("%j is refused as %s", async (words, code, status) => {
  const outcome = await cliJson(words, { cwd: directoryOf({}) });
  expect([outcome.status, outcome.document]).toMatchObject([
    status,
    { error: { code, message: expect.stringMatching(/^Cannot /) } },
  ]);
});

test("packages build never takes the place of a directory with other files", async () => {
  const cwd = directoryOf({ "wheels/notes.txt": "mine" });
  const { index } = await serveIndex(WHEELS);
  const { status, document } = await cliJson(["packages", "build", "lowest", "--from-index", index], { cwd });
  expect([status, document]).toEqual([
    2,
    {
      error: {
        code: "output-exists",
        message: expect.stringContaining('it holds "notes.txt"'),
        hint: "name a directory of its own with -o",
      },
    },
  ]);
});

test("a script that imports a package is not runnable, with the command that provides it, until --wheels has it", async () => {
  const cwd = directoryOf(SKILL);
  mkdirSync(join(cwd, "wheels"));
  for (const [file, { bytes }] of Object.entries(WHEELS)) {
    writeFileSync(join(cwd, "wheels", file), bytes);
  }
  const without = await cliJson(["check", "skills"], { cwd });
  expect(without.document).toMatchObject({
    skills: [
      {
        diagnostics: [
          { code: "script-not-runnable", hint: expect.stringContaining("edge-skills packages build greeter") },
        ],
      },
    ],
  });
  const withFlag = await cliJson(["check", "skills", "--wheels", "wheels"], { cwd });
  expect(withFlag.document).toMatchObject({ skills: [{ diagnostics: [] }] });

  const digests = new Set<unknown>();
  const pack = async (words: readonly string[], env: Record<string, string> = {}) => {
    const { document } = await cliJson(["pack", "skills", "-o", "out", ...words], { cwd, env });
    digests.add((document as { digest: unknown }).digest);
  };
  await pack([]);
  expect(digests.size).toBe(1);
  digests.clear();
  await pack(["--wheels", "wheels"]);
  await pack([], { EDGE_SKILLS_WHEELS: "wheels" });
  writeFileSync(join(cwd, "edge-skills.json"), '{ "wheels": "./wheels" }');
  await pack([]);
  expect(digests.size).toBe(1);
});

test("a wheel that is not the locked one is an error, and nothing is packed", async () => {
  const cwd = directoryOf(SKILL);
  mkdirSync(join(cwd, "wheels"));
  writeFileSync(join(cwd, "wheels/lowest-0.1-py3-none-any.whl"), LOW);
  const locked = await cli(["packages", "lock", "--wheels", "wheels"], { cwd });
  expect([locked.status, locked.stdout]).toEqual([0, `lowest 0.1  sha256:${hex(LOW)}\n`]);
  writeFileSync(join(cwd, "wheels/lowest-0.1-py3-none-any.whl"), wheelBytes({ "lowest.py": "import os\n" }));
  const { status, document } = await cliJson(["pack", "skills", "-o", "out", "--wheels", "wheels"], { cwd });
  expect([status, document]).toEqual([
    1,
    {
      error: {
        code: "packages-invalid",
        message: expect.stringMatching(/not those of edge-skills\.lock: lowest-0\.1/),
        hint: "edge-skills packages build fetches what is locked; edge-skills packages lock takes the wheels as they are",
      },
    },
  ]);
  expect(readdirSync(cwd).sort()).toEqual(["edge-skills.lock", "skills", "wheels"]);
});
