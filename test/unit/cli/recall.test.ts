import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli, cliJson, PlatformPool, skillMd, writeFiles } from "../../helpers/cli.ts";

let cwd = "";
const pool = new PlatformPool();
const here = () => ({ cwd, startPlatform: pool.start });
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "edge-skills-test-"));
});
afterAll(async () => {
  await pool.stop();
  rmSync(cwd, { recursive: true, force: true });
});

/** Deploys a version of two skills to a state of its own; answers its bundle. */
async function deployVersion(state: string, version: string): Promise<string> {
  writeFiles(cwd, {
    [`${state}-skills/dose/SKILL.md`]: skillMd("dose", `${version}\n`),
    [`${state}-skills/dose/table.txt`]: `table ${version}\n`,
    [`${state}-skills/other/SKILL.md`]: skillMd("other", "Stays.\n"),
  });
  const { document } = await cliJson(["deploy", `${state}-skills`, "--state", state], here());
  return (document as { layers: { bundle: string }[] }).layers[0]?.bundle ?? "";
}

/** The digest of a skill or of one of its files, as callers are told. */
async function digestIn(state: string, skill: string, file: string | null = null): Promise<string> {
  const { document } = await cliJson(["show", skill, "--from", "live", "--state", state], here());
  const { digest, resources } = document as { digest: string; resources: { name: string; digest: string }[] };
  return file === null ? digest : (resources.find(({ name }) => name === file)?.digest ?? "");
}

describe("edge-skills block", { timeout: 60_000 }, () => {
  it("recalls by the first digits, lists what is recalled with who and why, and lifts it", async () => {
    const state = ["--state", "blocked"];
    const bundle = await deployVersion("blocked", "one");
    const table = await digestIn("blocked", "dose", "table.txt");
    const digits = table.slice("sha256:".length, "sha256:".length + 8);
    const would = await cliJson(["block", digits, "--reason", "wrong dose", "--dry-run", ...state], here());
    const report = {
      digest: table,
      kind: "file",
      reason: "wrong dose",
      holders: [{ bundle, places: [{ layer: "platform", channel: "live", live: true }], skills: ["dose"] }],
      dry_run: true,
    };
    expect([would.status, would.document]).toEqual([0, report]);
    expect((await cliJson(["block", "--list", ...state], here())).document).toEqual({ blocks: [] });
    const did = await cliJson(["block", digits, "--reason", "wrong dose", ...state], here());
    expect(did.document).toEqual({ ...report, dry_run: false });
    const block = { digest: table, reason: "wrong dose", at: expect.stringMatching(/^\d{4}-.*Z$/), by: "tester" };
    expect((await cliJson(["block", "--list", ...state], here())).document).toEqual({ blocks: [block] });

    const again = await cliJson(["deploy", "blocked-skills", ...state], here());
    expect([again.status, again.document]).toMatchObject([1, { error: { code: "file-blocked" } }]);
    expect(again.stderr).toContain(`"table.txt" (${table} was recalled: wrong dose) of "dose"`);
    writeFiles(cwd, { "blocked-skills/dose/table.txt": "table mended\n" });
    expect((await cliJson(["deploy", "blocked-skills", ...state], here())).status).toBe(0);

    const lifted = await cliJson(["block", "--lift", digits, ...state], here());
    expect(lifted.document).toEqual({ lifted: [block], dry_run: false });
    expect((await cli(["block", "--lift", digits, ...state], here())).status).toBe(2);
  });

  it("exits with 2 for an unknown digest, no digest and no reason", async () => {
    await deployVersion("wrong", "one");
    for (const words of [
      ["block", "abcdef", "--reason", "r"],
      ["block"],
      ["block", "abcdef"],
      ["block", "a", "--reason", " "],
    ]) {
      expect([words, (await cli([...words, "--state", "wrong"], here())).status]).toEqual([words, 2]);
    }
  });

  it("of the live bundle says that its layer is empty now; rollback goes back and does not return to it", async () => {
    const state = ["--state", "bundles"];
    const first = await deployVersion("bundles", "one");
    const second = await deployVersion("bundles", "two");
    const { stderr } = await cli(["block", second, "--reason", "all wrong", ...state], here());
    expect(stderr).toContain("It is live: its layer has no skills until you deploy or roll back.");
    expect((await cliJson(["rollback", ...state], here())).document).toMatchObject({ bundle: first });
    const back = await cliJson(["rollback", second.slice(7, 17), ...state], here());
    expect([back.status, back.document]).toMatchObject([1, { error: { code: "bundle-blocked" } }]);
  });
});

describe("edge-skills purge", { timeout: 60_000 }, () => {
  it("tells what breaks, needs --yes, removes the bytes and leaves the rest", async () => {
    const state = ["--state", "purged"];
    const first = await deployVersion("purged", "one");
    const table = await digestIn("purged", "dose", "table.txt");
    const second = await deployVersion("purged", "two");
    const words = ["purge", table, "--reason", "personal data", ...state];
    const unsure = await cli(words, here());
    expect([unsure.status, unsure.stdout]).toEqual([
      2,
      `${table}  file: 1 bundles break\n  ${first}  platform/live  dose\n`,
    ]);
    const would = await cliJson([...words, "--dry-run"], here());
    const did = await cliJson([...words, "--yes"], here());
    const report = {
      digest: table,
      kind: "file",
      breaks: [{ bundle: first, places: [{ layer: "platform", channel: "live", live: false }], skills: ["dose"] }],
      removed: expect.any(Array),
    };
    expect(would.document).toEqual({ ...report, dry_run: true });
    expect(did.document).toEqual({ ...report, dry_run: false });
    expect((did.document as { removed: string[] }).removed).toHaveLength(2);
    const kv = await (await pool.start({ state: join(cwd, "purged") })).kv();
    expect(await kv.get(`blob/${table.slice(7)}`)).toBeNull();
    expect((await cli(["show", "dose", "--from", "live", ...state], here())).status).toBe(0);
    expect((await cliJson(["status", ...state], here())).document).toMatchObject({ layers: [{ bundle: second }] });
  });
});
