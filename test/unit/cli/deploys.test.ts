import { describe, expect, it } from "vitest";
import { cli, cliJson, skillMd, writeFiles } from "../../helpers/cli.ts";
import { cliFolder } from "../../helpers/cli-folder.ts";

const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const FIRST = {
  "skills/platform/common/SKILL.md": skillMd("common", "first\n"),
  "skills/tenants/acme/own/SKILL.md": skillMd("own", "first\n"),
};

/** The state of a first deploy, which tests add to under names of their own. */
const folder = cliFolder({
  ...FIRST,
  "broken/good/SKILL.md": skillMd("good"),
  "broken/bad/SKILL.md": "---\nname: bad\n---\n",
  "single/one/SKILL.md": skillMd("one"),
});
const here = () => folder.here();

describe("edge-skills deploy", { timeout: 60_000 }, () => {
  it("moves the channel of each layer, and tells what it did", async () => {
    const words = ["deploy", "skills", "--channel", "told"];
    const would = await cliJson([...words, "--dry-run"], here());
    const nothing = await cliJson(["status", "--channel", "told"], here());
    const did = await cliJson(words, here());
    const layer = (name: string) => ({ layer: name, bundle: DIGEST, previous: null, moved: true });
    const report = {
      channel: "told",
      layers: [layer("platform"), layer("acme")],
      blobs: { uploaded: 4, unchanged: 0, bytes: expect.any(Number) },
      address: null,
      changes: ["platform", "acme"].map((name) => ({
        layer: name,
        before: null,
        after: DIGEST,
        skills: [
          {
            skill: name === "acme" ? "own" : "common",
            change: "added",
            before: null,
            after: expect.any(Number),
            files: [expect.objectContaining({ path: "SKILL.md", change: "added" })],
          },
        ],
      })),
    };
    expect(would).toEqual({ status: 0, document: { ...report, dry_run: true }, stderr: "" });
    expect(nothing.document).toEqual({ channel: "told", layers: [] });
    expect(did).toEqual({
      status: 0,
      document: { ...report, dry_run: false },
      stderr: "platform: skills: 1 added\nacme: skills: 1 added\n",
    });

    const again = await cli(words, here());
    expect(again).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^(?:(?:platform|acme) {2}told {2}sha256:\w{64} {2}unchanged\n){2}$/),
      stderr: "platform: no skill differs\nacme: no skill differs\n0 blobs uploaded (0 bytes), 4 unchanged\n",
    });
  });

  it("moves nothing when a skill has errors, and the good ones with --allow-errors", async () => {
    const words = ["deploy", "broken", "--channel", "partly"];
    const refused = await cliJson(words, here());
    expect(refused).toMatchObject({ status: 1, document: { error: { code: "skills-invalid" } } });
    expect(refused.stderr).toContain("description-missing");
    expect((await cliJson(["status", "--channel", "partly"], here())).document).toMatchObject({ layers: [] });

    expect((await cli([...words, "--allow-errors"], here())).status).toBe(1);
    const listed = await cliJson(["list", "--from", "partly"], here());
    expect(listed.document).toMatchObject({ skills: [{ name: "good" }] });
  });

  it("with --tenant deploys a directory as that tenant's, and of layers that one", async () => {
    const words = ["--channel", "tenants"];
    const plain = await cliJson(["deploy", "single", "--tenant", "solo", ...words], here());
    const picked = await cliJson(["deploy", "skills", "--tenant", "acme", ...words], here());
    const names = [plain, picked].map(({ document }) =>
      (document as { layers: { layer: string }[] }).layers.map(({ layer }) => layer),
    );
    expect(names).toEqual([["solo"], ["acme"]]);
    expect(await cliJson(["deploy", "skills", "--tenant", "solo", ...words], here())).toMatchObject({
      status: 2,
      document: { error: { code: "usage" } },
    });
  });

  it("deploys a bundle that was packed before, byte for byte", async () => {
    await cli(["pack", "skills", "-o", "packed"], here());
    const bundle = await cliJson(["deploy", "packed", "--channel", "from-bundle"], here());
    const directory = await cliJson(["deploy", "skills", "--channel", "from-bundle", "--dry-run"], here());
    expect(bundle).toMatchObject({ status: 0, document: { layers: [{ moved: true }, { moved: true }] } });
    expect(directory.document).toMatchObject({ layers: [{ moved: false }, { moved: false }] });
    expect((await cli(["deploy", "packed", "single"], here())).status).toBe(2);
  });

  it("with --again uploads also what is there", async () => {
    const { document } = await cliJson(["deploy", "skills", "--channel", "from-bundle", "--again"], here());
    expect(document).toMatchObject({
      blobs: { uploaded: 4, unchanged: 0 },
      layers: [{ moved: false }, { moved: false }],
    });
  });

  it("exits with 3 when the state cannot be kept, with a hint", async () => {
    writeFiles(folder.cwd, { "a-file": "" });
    const { status, stderr } = await cli(["deploy", "skills", "--state", "a-file"], here());
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/\(storage-unavailable\)\n {2}name another directory with --state/),
    ]);
  });
});

describe("edge-skills status, history and rollback", { timeout: 60_000 }, () => {
  it("tell what is live and what was, and go back by one write a time", async () => {
    const first = await folder.deployVersion("one", "back");
    const second = await folder.deployVersion("two", "back");
    const words = ["--channel", "back"];

    expect((await cliJson(["status", ...words], here())).document).toEqual({
      channel: "back",
      layers: ["platform", "acme"].map((layer, i) => ({
        layer,
        bundle: second[i],
        skills: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        by: "tester",
      })),
    });
    const back = await cliJson(["rollback", ...words], here());
    expect(back).toEqual({
      status: 0,
      document: { layer: "platform", channel: "back", bundle: first[0], previous: second[0] },
      stderr: `platform: ${second[0]} → ${first[0]}\n`,
    });
    expect(await folder.bodyOf("back")).toBe("one\n");

    const { document } = await cliJson(["history", ...words], here());
    const moves = (document as { history: { bundle: string; reason: string }[] }).history;
    expect(moves.map(({ bundle, reason }) => [bundle, reason])).toEqual([
      [first[0], "rollback"],
      [second[0], "deploy"],
      [first[0], "deploy"],
    ]);
    const people = await cli(["history", ...words], here());
    expect(people.stdout.split("\n")[0]).toMatch(new RegExp(`^live {2}${first[0]} {2}rollback {2}\\S+ {2}tester$`));

    const forward = await cli(["rollback", second[0]?.slice(7, 17) ?? "", ...words], here());
    expect([forward.status, await folder.bodyOf("back")]).toEqual([0, "two\n"]);
    // A tenant's layer was not touched by any of this.
    const acme = await cliJson(["history", "--tenant", "acme", ...words], here());
    expect(acme.document).toMatchObject({ layer: "acme", history: [{ bundle: second[1] }, { bundle: first[1] }] });
  });

  it("rollback exits with 2 for a digest that was never live, and names those that were", async () => {
    const [bundle] = await folder.deployVersion("only", "once");
    const words = ["--channel", "once"];
    for (const digest of [[], [`sha256:${"0".repeat(64)}`], ["main"]]) {
      const { status, stdout, stderr } = await cli(["rollback", ...digest, ...words], here());
      expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(`known: ${bundle}`)]);
    }
  });

  it("status and history of a channel without a deploy are empty, with a hint", async () => {
    const status = await cli(["status", "--channel", "empty"], here());
    expect(status).toEqual({ status: 0, stdout: "", stderr: expect.stringContaining("edge-skills deploy") });
    const history = await cliJson(["history", "--channel", "empty"], here());
    expect(history).toEqual({ status: 0, document: { layer: "platform", channel: "empty", history: [] }, stderr: "" });
    const people = await cli(["history", "--channel", "empty"], here());
    expect(people).toEqual({ status: 0, stdout: "", stderr: expect.stringContaining('channel "empty"') });
  });

  it("names who deploys from the environment", async () => {
    await cli(["deploy", "single", "--channel", "who"], {
      ...here(),
      env: { GITHUB_ACTOR: "octocat", USER: "runner" },
    });
    const { document } = await cliJson(["status", "--channel", "who"], here());
    expect(document).toMatchObject({ layers: [{ by: "octocat" }] });
  });
});

describe("edge-skills token", { timeout: 60_000 }, () => {
  it("makes a token, lists it without its secret, and revokes it once", async () => {
    const words = ["--tenant", "acme"];
    const made = await cliJson(["token", "create", "--scopes", "read, run", "--channel", "back", ...words], here());
    const { id, token } = made.document as { id: string; token: string };
    expect(made).toEqual({ status: 0, document: { id: expect.any(String), token: expect.any(String) }, stderr: "" });
    expect(token).toMatch(/^es_acme_[\w-]{43}$/);

    const listed = await cliJson(["token", "list", ...words], here());
    expect(listed.document).toEqual({
      tokens: [{ id, tenant: "acme", scopes: ["read", "run"], channel: "back", created_at: expect.any(String) }],
    });
    const revoked = await cliJson(["token", "revoke", id, ...words], here());
    expect(revoked).toEqual({ status: 0, document: { id, revoked: true }, stderr: `Revoked ${id}.\n` });
    expect(await cliJson(["token", "revoke", id, ...words], here())).toMatchObject({
      status: 2,
      document: { error: { code: "token-unknown" } },
    });
  });

  it("prints the token alone on standard output, everything else on standard error", async () => {
    const { status, stdout, stderr } = await cli(["token", "create"], here());
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^es_platform_[\w-]{43}\n$/)]);
    expect(stderr).not.toContain(stdout.trim());
  });
});
