import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, cliJson, skillMd, writeFiles } from "../../helpers/cli.ts";

const DIGEST = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
const FIRST = {
  "skills/platform/common/SKILL.md": skillMd("common", "first\n"),
  "skills/tenants/acme/own/SKILL.md": skillMd("own", "first\n"),
};

let cwd = "";
/** The state of a first deploy, which tests add to under names of their own. */
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
  writeFiles(cwd, {
    ...FIRST,
    "broken/good/SKILL.md": skillMd("good"),
    "broken/bad/SKILL.md": "---\nname: bad\n---\n",
    "single/one/SKILL.md": skillMd("one"),
  });
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Layers {
  readonly layers: readonly { readonly layer: string; readonly bundle: string; readonly previous: string | null }[];
}

/** Deploys a version of the skills to a channel; answers the bundles of its layers. */
async function deployVersion(version: string, channel: string): Promise<string[]> {
  writeFiles(cwd, {
    "skills/platform/common/SKILL.md": skillMd("common", `${version}\n`),
    "skills/tenants/acme/own/SKILL.md": skillMd("own", `${version}\n`),
  });
  const { document } = await cliJson(["deploy", "skills", "--channel", channel], { cwd });
  return (document as Layers).layers.map(({ bundle }) => bundle);
}

async function bodyOf(channel: string): Promise<unknown> {
  const { document } = await cliJson(["show", "common", "--from", channel], { cwd });
  return (document as { body: string }).body;
}

describe("edge-skills deploy", { timeout: 60_000 }, () => {
  it("moves the channel of each layer, and tells what it did", async () => {
    const words = ["deploy", "skills", "--channel", "told"];
    const would = await cliJson([...words, "--dry-run"], { cwd });
    const nothing = await cliJson(["status", "--channel", "told"], { cwd });
    const did = await cliJson(words, { cwd });
    const layer = (name: string) => ({ layer: name, bundle: DIGEST, previous: null, moved: true });
    const report = {
      channel: "told",
      layers: [layer("platform"), layer("acme")],
      blobs: { uploaded: 4, unchanged: 0, bytes: expect.any(Number) },
    };
    expect(would).toEqual({ status: 0, document: { ...report, dry_run: true }, stderr: "" });
    expect(nothing.document).toEqual({ channel: "told", layers: [] });
    expect(did).toEqual({ status: 0, document: { ...report, dry_run: false }, stderr: "" });

    const again = await cli(words, { cwd });
    expect(again).toEqual({
      status: 0,
      stdout: expect.stringMatching(/^(?:(?:platform|acme) {2}told {2}sha256:\w{64} {2}unchanged\n){2}$/),
      stderr: "0 blobs uploaded (0 bytes), 4 unchanged\n",
    });
  });

  it("moves nothing when a skill has errors, and the good ones with --allow-errors", async () => {
    const words = ["deploy", "broken", "--channel", "partly"];
    const refused = await cliJson(words, { cwd });
    expect(refused).toMatchObject({ status: 1, document: { error: { code: "skills-invalid" } } });
    expect(refused.stderr).toContain("description-missing");
    expect((await cliJson(["status", "--channel", "partly"], { cwd })).document).toMatchObject({ layers: [] });

    expect((await cli([...words, "--allow-errors"], { cwd })).status).toBe(1);
    const listed = await cliJson(["list", "--from", "partly"], { cwd });
    expect(listed.document).toMatchObject({ skills: [{ name: "good" }] });
  });

  it("with --tenant deploys a directory as that tenant's, and of layers that one", async () => {
    const words = ["--channel", "tenants"];
    const plain = await cliJson(["deploy", "single", "--tenant", "solo", ...words], { cwd });
    const picked = await cliJson(["deploy", "skills", "--tenant", "acme", ...words], { cwd });
    const names = [plain, picked].map(({ document }) => (document as Layers).layers.map(({ layer }) => layer));
    expect(names).toEqual([["solo"], ["acme"]]);
    expect(await cliJson(["deploy", "skills", "--tenant", "solo", ...words], { cwd })).toMatchObject({
      status: 2,
      document: { error: { code: "usage" } },
    });
  });

  it("deploys a bundle that was packed before, byte for byte", async () => {
    await cli(["pack", "skills", "-o", "packed"], { cwd });
    const bundle = await cliJson(["deploy", "packed", "--channel", "from-bundle"], { cwd });
    const directory = await cliJson(["deploy", "skills", "--channel", "from-bundle", "--dry-run"], { cwd });
    expect(bundle).toMatchObject({ status: 0, document: { layers: [{ moved: true }, { moved: true }] } });
    expect(directory.document).toMatchObject({ layers: [{ moved: false }, { moved: false }] });
    expect((await cli(["deploy", "packed", "single"], { cwd })).status).toBe(2);
  });

  it("with --again uploads also what is there", async () => {
    const { document } = await cliJson(["deploy", "skills", "--channel", "from-bundle", "--again"], { cwd });
    expect(document).toMatchObject({
      blobs: { uploaded: 4, unchanged: 0 },
      layers: [{ moved: false }, { moved: false }],
    });
  });

  it("exits with 3 when the state cannot be kept, with a hint", async () => {
    writeFiles(cwd, { "a-file": "" });
    const { status, stderr } = await cli(["deploy", "skills", "--state", "a-file"], { cwd });
    expect([status, stderr]).toEqual([
      3,
      expect.stringMatching(/\(storage-unavailable\)\n {2}name another directory with --state/),
    ]);
  });
});

describe("edge-skills status, history and rollback", { timeout: 60_000 }, () => {
  it("tell what is live and what was, and go back by one write a time", async () => {
    const first = await deployVersion("one", "back");
    const second = await deployVersion("two", "back");
    const words = ["--channel", "back"];

    expect((await cliJson(["status", ...words], { cwd })).document).toEqual({
      channel: "back",
      layers: ["platform", "acme"].map((layer, i) => ({
        layer,
        bundle: second[i],
        skills: 1,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        by: "tester",
      })),
    });
    const back = await cliJson(["rollback", ...words], { cwd });
    expect(back).toEqual({
      status: 0,
      document: { layer: "platform", channel: "back", bundle: first[0], previous: second[0] },
      stderr: `platform: ${second[0]} → ${first[0]}\n`,
    });
    expect(await bodyOf("back")).toBe("one\n");

    const { document } = await cliJson(["history", ...words], { cwd });
    const moves = (document as { history: { bundle: string; reason: string }[] }).history;
    expect(moves.map(({ bundle, reason }) => [bundle, reason])).toEqual([
      [first[0], "rollback"],
      [second[0], "deploy"],
      [first[0], "deploy"],
    ]);
    const people = await cli(["history", ...words], { cwd });
    expect(people.stdout.split("\n")[0]).toMatch(new RegExp(`^live {2}${first[0]} {2}rollback {2}\\S+ {2}tester$`));

    const forward = await cli(["rollback", second[0]?.slice(7, 17) ?? "", ...words], { cwd });
    expect([forward.status, await bodyOf("back")]).toEqual([0, "two\n"]);
    // A tenant's layer was not touched by any of this.
    const acme = await cliJson(["history", "--tenant", "acme", ...words], { cwd });
    expect(acme.document).toMatchObject({ layer: "acme", history: [{ bundle: second[1] }, { bundle: first[1] }] });
  });

  it("rollback exits with 2 for a digest that was never live, and names those that were", async () => {
    const [bundle] = await deployVersion("only", "once");
    const words = ["--channel", "once"];
    for (const digest of [[], [`sha256:${"0".repeat(64)}`], ["main"]]) {
      const { status, stdout, stderr } = await cli(["rollback", ...digest, ...words], { cwd });
      expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(`known: ${bundle}`)]);
    }
  });

  it("status and history of a channel without a deploy are empty, with a hint", async () => {
    const status = await cli(["status", "--channel", "empty"], { cwd });
    expect(status).toEqual({ status: 0, stdout: "", stderr: expect.stringContaining("edge-skills deploy") });
    const history = await cliJson(["history", "--channel", "empty"], { cwd });
    expect(history).toEqual({ status: 0, document: { layer: "platform", channel: "empty", history: [] }, stderr: "" });
    const people = await cli(["history", "--channel", "empty"], { cwd });
    expect(people).toEqual({ status: 0, stdout: "", stderr: expect.stringContaining('channel "empty"') });
  });

  it("names who deploys from the environment", async () => {
    await cli(["deploy", "single", "--channel", "who"], { cwd, env: { GITHUB_ACTOR: "octocat", USER: "runner" } });
    const { document } = await cliJson(["status", "--channel", "who"], { cwd });
    expect(document).toMatchObject({ layers: [{ by: "octocat" }] });
  });
});

describe("edge-skills token", { timeout: 60_000 }, () => {
  it("makes a token, lists it without its secret, and revokes it once", async () => {
    const words = ["--tenant", "acme"];
    const made = await cliJson(["token", "create", "--scopes", "read, run", "--channel", "back", ...words], { cwd });
    const { id, token } = made.document as { id: string; token: string };
    expect(made).toEqual({ status: 0, document: { id: expect.any(String), token: expect.any(String) }, stderr: "" });
    expect(token).toMatch(/^es_acme_[\w-]{43}$/);

    const listed = await cliJson(["token", "list", ...words], { cwd });
    expect(listed.document).toEqual({
      tokens: [{ id, tenant: "acme", scopes: ["read", "run"], channel: "back", created_at: expect.any(String) }],
    });
    const revoked = await cliJson(["token", "revoke", id, ...words], { cwd });
    expect(revoked).toEqual({ status: 0, document: { id, revoked: true }, stderr: `Revoked ${id}.\n` });
    expect(await cliJson(["token", "revoke", id, ...words], { cwd })).toMatchObject({
      status: 2,
      document: { error: { code: "token-unknown" } },
    });
  });

  it("prints the token alone on standard output, everything else on standard error", async () => {
    const { status, stdout, stderr } = await cli(["token", "create"], { cwd });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^es_platform_[\w-]{43}\n$/)]);
    expect(stderr).not.toContain(stdout.trim());
  });
});
