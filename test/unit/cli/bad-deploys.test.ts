import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { cli, cliJson, directoryOf, PlatformPool, skillMd, writeFiles } from "../../helpers/cli.ts";

const pool = new PlatformPool();
afterAll(() => pool.stop());

const CLI = fileURLToPath(new URL("../../../src/cli.ts", import.meta.url));

/** Runs the command line in a process that cannot write files of more than 50 KiB: the disk is full, as far as it can tell. */
function onFullDisk(cwd: string, ...words: string[]) {
  const script = 'ulimit -f 100; exec "$0" "$@"';
  const { status, stdout } = spawnSync("sh", ["-c", script, process.execPath, CLI, ...words, "--json"], {
    cwd,
    encoding: "utf8",
  });
  return { status, document: JSON.parse(stdout) as unknown };
}

interface Report {
  readonly layers: readonly { readonly bundle: string }[];
}

describe("what cannot be deployed", { timeout: 60_000 }, () => {
  it("a bundle that the disk has no room for is not there, and the one before stays whole", async () => {
    const cwd = directoryOf({ "skills/one/SKILL.md": skillMd("one") });
    const packed = await cliJson(["pack", "skills", "-o", "out"], { cwd });
    writeFiles(cwd, { "skills/one/large.txt": "large ".repeat(40_000) });
    for (const out of ["out", "other"]) {
      expect(onFullDisk(cwd, "pack", "skills", "-o", out)).toEqual({
        status: 3,
        document: {
          error: expect.objectContaining({ code: "storage-unavailable", message: expect.stringContaining("EFBIG") }),
        },
      });
    }
    expect(readdirSync(cwd).sort()).toEqual(["out", "skills"]);
    const listed = await cliJson(["list", "--from", "out"], { cwd });
    expect([packed.status, listed.document]).toEqual([
      0,
      expect.objectContaining({ skills: [expect.objectContaining({ name: "one", resources: 0 })] }),
    ]);
  });

  it("of two roots with the same skill the first is deployed, and the other is named", async () => {
    const cwd = directoryOf({
      "first/one/SKILL.md": skillMd("one"),
      "second/one/SKILL.md": skillMd("one", "Other.\n"),
    });
    const here = { cwd, env: { USER: "tester" }, startPlatform: pool.start };
    const { status, stderr } = await cli(["deploy", "first", "second"], here);
    expect([status, stderr]).toEqual([
      0,
      expect.stringMatching(/^second\/one \(one\)\n {2}warning .*\(duplicate-skill\)/),
    ]);
    const shown = await cliJson(["show", "one", "--from", "live"], here);
    expect(shown.document).toMatchObject({ body: "Follow the steps.\n" });
  });

  it("a bundle that was pruned is not rolled back to, and what is live stays", async () => {
    const cwd = directoryOf({ "skills/one/SKILL.md": skillMd("one") });
    const here = { cwd, env: { USER: "tester" }, startPlatform: pool.start };
    const bundleOf = async (): Promise<string> => {
      const { document } = await cliJson(["deploy", "skills"], here);
      return (document as Report).layers[0]?.bundle ?? "";
    };
    const first = await bundleOf();
    writeFiles(cwd, { "skills/one/SKILL.md": skillMd("one", "Better.\n") });
    const second = await bundleOf();
    expect((await cliJson(["prune", "--keep", "1"], here)).status).toBe(0);
    expect(await cliJson(["rollback", first], here)).toMatchObject({
      status: 2,
      document: { error: { code: "bundle-unknown" } },
    });
    expect((await cliJson(["status"], here)).document).toMatchObject({ layers: [{ bundle: second }] });
  });
});
