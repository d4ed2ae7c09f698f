import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, cliJson, skillMd, writeFiles } from "../../helpers/cli.ts";
import { cliFolder } from "../../helpers/cli-folder.ts";

const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);

const folder = cliFolder();
const here = () => folder.here();

describe("edge-skills diff and prune", { timeout: 60_000 }, () => {
  it("diff compares directories, bundles, channels and deployed bundles, of one layer or all", async () => {
    const [first = ""] = await folder.deployVersion("one", "compared");
    const words = ["--channel", "compared"];
    await cli(["pack", "skills", "-o", "packed-one"], here());
    await folder.deployVersion("number two", "compared");
    const skill = (name: string) => ({
      skill: name,
      change: "changed",
      before: expect.any(Number),
      after: expect.any(Number),
      files: [{ path: "SKILL.md", change: "changed", before: expect.any(Number), after: expect.any(Number) }],
    });
    const both = {
      layers: [
        { layer: "platform", skills: [skill("common")] },
        { layer: "acme", skills: [skill("own")] },
      ],
    };
    expect((await cliJson(["diff", "packed-one", "compared"], here())).document).toMatchObject(both);
    const own = await cliJson(["diff", "packed-one", "skills", "--tenant", "acme"], here());
    expect(own).toMatchObject({ status: 0, document: { layers: [both.layers[1]] } });
    const digest = await cliJson(["diff", first.slice(7, 15), "compared", "--tenant", "acme"], here());
    expect(digest).toMatchObject({ status: 2, document: { error: { code: "bundle-unknown" } } });
    const people = await cli(["diff", first.slice(7, 15), "skills"], here());
    expect(people.stdout).toMatch(
      /^platform {2}skills: 1 changed\n {2}~ common {2}\d+ → \d+ bytes\n {6}~ SKILL\.md {2}\d+ → \d+ bytes\nacme {2}skills: 1 added\n/,
    );
    expect((await cliJson(["diff", "compared", "skills"], here())).document).toMatchObject({
      layers: [{ skills: [] }, { skills: [] }],
    });
    expect((await cli(["diff", "compared", "never-deployed"], here())).status).toBe(2);
    const would = await cliJson(["rollback", "--dry-run", ...words], here());
    expect(would).toMatchObject({ status: 0, document: { bundle: first } });
    expect(await folder.bodyOf("compared")).toBe("number two\n");
  });

  it("prune removes what --keep lets go, and says so before with --dry-run", async () => {
    const state = ["--state", "pruned"];
    for (const version of ["first", "second", "third"]) {
      writeFiles(folder.cwd, { "pruning/one/SKILL.md": skillMd("one", `${version}\n`) });
      await cli(["deploy", "pruning", ...state], here());
    }
    const words = ["prune", "--keep", "1", ...state];
    const report = {
      dropped: [],
      shortened: [{ layer: "platform", channel: "live", forgotten: [DIGEST, DIGEST] }],
      removed: { indexes: 2, blobs: 4 },
      kept: { indexes: 1, blobs: 2 },
    };
    expect((await cliJson([...words, "--dry-run"], here())).document).toEqual({ ...report, dry_run: true });
    expect((await cliJson(words, here())).document).toEqual({ ...report, dry_run: false });
    const again = await cli(words, here());
    expect(again).toEqual({ status: 0, stdout: "0 bundles and 0 blobs removed, 1 and 2 kept\n", stderr: "" });
    expect((await cli(["rollback", ...state], here())).status).toBe(2);
    expect((await cli(["prune", "--keep", "0", ...state], here())).status).toBe(2);
    expect((await cli(["prune", "--drop", "live", ...state], here())).status).toBe(2);
    await cli(["deploy", "pruning", "--channel", "preview-1", ...state], here());
    const dropped = await cli(["prune", "--drop", "preview-1", ...state], here());
    expect(dropped.stdout).toMatch(/^platform {2}preview-1 {2}dropped\n0 bundles/);
  });

  it("history tells the git commit, and that something was not committed", async () => {
    const git = (...words: string[]) =>
      execFileSync(
        "git",
        ["-C", join(folder.cwd, "repository"), "-c", "user.name=t", "-c", "user.email=t@example.com", ...words],
        {
          encoding: "utf8",
        },
      ).trim();
    const deployed = async (env: Record<string, string> = {}) => {
      await cli(["deploy", "repository", "--channel", "git"], { ...here(), env: { USER: "tester", ...env } });
      const { document } = await cliJson(["history", "--channel", "git"], here());
      return (document as { history: { commit?: string }[] }).history[0]?.commit;
    };
    writeFiles(folder.cwd, { "repository/one/SKILL.md": skillMd("one", "one\n") });
    git("init", "--quiet");
    const before = await deployed();
    git("add", ".");
    git("commit", "--quiet", "-m", "one");
    const commit = git("rev-parse", "HEAD");
    writeFiles(folder.cwd, { "repository/one/SKILL.md": skillMd("one", "two\n") });
    const dirty = await deployed();
    writeFiles(folder.cwd, { "repository/one/SKILL.md": skillMd("one", "three\n") });
    git("commit", "--quiet", "-am", "three");
    const clean = await deployed();
    writeFiles(folder.cwd, { "repository/one/SKILL.md": skillMd("one", "four\n") });
    const named = await deployed({ EDGE_SKILLS_COMMIT: "release-7" });
    expect([before, dirty, clean, named]).toEqual([
      undefined,
      `${commit}-dirty`,
      git("rev-parse", "HEAD"),
      "release-7",
    ]);
    expect((await cli(["history", "--channel", "git"], here())).stdout).toContain("  tester  release-7\n");
  });
});
