import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { decodeIndex } from "../../../src/bundle/index-format.ts";
import { digestOf } from "../../../src/model/digest.ts";
import { cli, cliJson, skillMd, writeFiles } from "../../helpers/cli.ts";
import { cliFolder } from "../../helpers/cli-folder.ts";
import { layerOf } from "../../helpers/deployable.ts";
import { startLocalEdge } from "../../helpers/local-edge.ts";

const folder = cliFolder();
const here = () => folder.here();

/** Deploys a version of two skills to a state of its own; answers its bundle. */
async function deployVersion(state: string, version: string): Promise<string> {
  writeFiles(folder.cwd, {
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
    writeFiles(folder.cwd, { "blocked-skills/dose/table.txt": "table mended\n" });
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
      `${table}  file: breaks 1 bundle\n  ${first}  platform/live  dose\n`,
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
    const kv = await (await folder.pool.start({ state: join(folder.cwd, "purged") })).kv();
    expect(await kv.get(`blob/${table.slice(7)}`)).toBeNull();
    expect((await cli(["show", "dose", "--from", "live", ...state], here())).status).toBe(0);
    expect((await cliJson(["status", ...state], here())).document).toMatchObject({ layers: [{ bundle: second }] });
  });
});

describe("edge-skills block --target http://127.0.0.1", { timeout: 60_000 }, () => {
  it("recalls over the edge's own API what holds a file, lists it, and lifts it; purging is not for an edge", async () => {
    const edge = await startLocalEdge();
    onTestFinished(() => edge.stop());
    const layer = await layerOf("platform", [
      { name: "dose", files: [{ path: "table.txt", content: "table\n" }], manifest: skillMd("dose") },
      { name: "other" },
    ]);
    await edge.deploy([layer]);
    const at = ["--target", edge.url];
    const as = async (tenant: string) => ({
      cwd: folder.cwd,
      env: { USER: "eve", EDGE_SKILLS_TOKEN: await edge.token(tenant, ["admin"]) },
    });
    const operator = await as("platform");
    const places = [{ layer: "platform", channel: "live", live: true }];
    const manifest = await digestOf(skillMd("dose"));
    const digits = manifest.slice("sha256:".length, "sha256:".length + 10);

    const would = await cliJson(["block", digits, "--reason", "wrong dose", "--dry-run", ...at], operator);
    const report = {
      digest: manifest,
      kind: "file",
      reason: "wrong dose",
      holders: [{ bundle: layer.digest, places, skills: ["dose"] }],
    };
    expect([would.status, would.document]).toEqual([0, { ...report, dry_run: true }]);
    expect((await cliJson(["block", "--list", ...at], operator)).document).toEqual({ blocks: [] });

    const did = await cliJson(["block", digits, "--reason", "wrong dose", ...at], operator);
    expect([did.status, did.document]).toEqual([0, { ...report, dry_run: false }]);
    const skill = decodeIndex(layer.index).skills.find(({ name }) => name === "dose")?.digest;
    const block = { reason: "wrong dose", at: expect.any(String), by: expect.stringMatching(/^eve \(token /) };
    const blocks = [
      { digest: manifest, ...block },
      { digest: skill, ...block, with: manifest },
    ];
    expect((await cliJson(["block", "--list", ...at], operator)).document).toEqual({ blocks });
    expect((await edge.target.readPointer("platform", "live")).pointer?.blocked?.blocks).toEqual(blocks);

    const purged = await cliJson(["purge", digits, "--reason", "wrong dose", "--yes", ...at], operator);
    expect(purged).toMatchObject({ status: 2, document: { error: { code: "usage" } } });
    expect(purged.stderr).toContain("purge with --target of the Cloudflare account");
    const foreign = await cliJson(["block", manifest, "--reason", "mine", ...at], await as("acme"));
    expect(foreign).toMatchObject({ document: { error: { code: "scope-missing" } } });

    const lifted = await cliJson(["block", "--lift", digits, ...at], operator);
    expect([lifted.status, lifted.document]).toEqual([0, { lifted: blocks, dry_run: false }]);
    expect((await cliJson(["block", "--list", ...at], operator)).document).toEqual({ blocks: [] });
  });
});
