import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { digestOf } from "../../../src/model/digest.ts";
import { cli, cliJson, skillMd, writeFiles } from "../../helpers/cli.ts";
import { cliFolder } from "../../helpers/cli-folder.ts";
import { layerOf } from "../../helpers/deployable.ts";
import { startLocalEdge } from "../../helpers/local-edge.ts";

const folder = cliFolder();
const here = () => folder.here();

describe("edge-skills tenant", { timeout: 60_000 }, () => {
  it("makes, lists, suspends and resumes a tenant in the local state", async () => {
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
    const made = await cliJson(["tenant", "create", "acme"], here());
    expect([made.status, made.document]).toEqual([0, { name: "acme", created_at, suspended: false }]);
    const again = await cliJson(["tenant", "create", "acme"], here());
    expect([again.status, again.document]).toMatchObject([1, { error: { code: "tenant-exists" } }]);
    const suspended = await cliJson(["tenant", "suspend", "acme"], here());
    expect(suspended.document).toEqual({ name: "acme", suspended: true });
    const people = await cli(["tenant", "list"], here());
    expect(people.stdout).toMatch(/^acme {2}suspended {2}\d{4}-\S+Z {2}-\n$/);
    expect((await cliJson(["tenant", "resume", "acme"], here())).document).toEqual({ name: "acme", suspended: false });
    expect((await cliJson(["tenant", "list"], here())).document).toEqual({
      tenants: [{ name: "acme", created_at, suspended: false, channels: [] }],
    });
  });

  it("export writes the tenant's live skills and what is known of it, and no hash", async () => {
    writeFiles(folder.cwd, {
      "skills/platform/common/SKILL.md": skillMd("common", "Common.\n"),
      "skills/tenants/kept/own/SKILL.md": skillMd("own", "Own.\n"),
      "skills/tenants/kept/own/a.md": "A\n",
    });
    await cli(["deploy", "skills"], here());
    await cli(["token", "create", "--tenant", "kept"], here());
    const { status, document } = await cliJson(["tenant", "export", "kept", "--to", "out"], here());
    const file = join("skills", "kept", "own.zip");
    expect([status, document]).toMatchObject([
      0,
      {
        name: "kept",
        channels: [{ channel: "live", history: [{ reason: "deploy" }] }],
        tokens: [{ tenant: "kept", scopes: ["read", "run"] }],
        secrets: [],
        skills: [{ name: "own", layer: "kept", file }],
      },
    ]);
    const written = readFileSync(join(folder.cwd, "out", "tenant.json"), "utf8");
    expect([JSON.parse(written), written.includes("hash")]).toEqual([document, false]);
    const back = await cliJson(["import", join("out", file), "--to", "back"], here());
    expect([back.status, readFileSync(join(folder.cwd, "back", "own", "a.md"), "utf8")]).toEqual([0, "A\n"]);
    const { document: left } = await cliJson(["token", "list", "--tenant", "kept"], here());
    expect((left as { tokens: unknown[] }).tokens).toHaveLength(1);
    expect((await cli(["tenant", "export", "kept", "--to", "out"], here())).status).toBe(2);
    expect((await cli(["tenant", "export", "nobody"], here())).status).toBe(2);
  });

  it("delete tells what goes, needs --yes and removes it", async () => {
    await cli(["tenant", "create", "gone"], here());
    await cli(["token", "create", "--tenant", "gone"], here());
    const unsure = await cli(["tenant", "delete", "gone"], here());
    expect([unsure.status, unsure.stderr]).toEqual([2, expect.stringContaining("Of gone go 1 token, 0 secrets")]);
    const would = await cliJson(["tenant", "delete", "gone", "--dry-run"], here());
    expect(would.document).toMatchObject({ removed: { tokens: 1 }, dry_run: true });
    const did = await cliJson(["tenant", "delete", "gone", "--yes"], here());
    expect([did.status, did.document]).toMatchObject([0, { name: "gone", removed: { tokens: 1 }, dry_run: false }]);
    const { document } = await cliJson(["token", "list", "--tenant", "gone"], here());
    expect(document).toEqual({ tokens: [] });
  });

  it("create --token makes a first token that counts; wrong scopes make nothing", async () => {
    const made = await cliJson(["tenant", "create", "lucky", "--token", "--scopes", "read,deploy"], here());
    const token = { id: expect.any(String), token: expect.stringMatching(/^es_lucky_/) };
    expect([made.status, made.document]).toEqual([
      0,
      { name: "lucky", created_at: expect.any(String), suspended: false, token },
    ]);
    const { document } = await cliJson(["token", "list", "--tenant", "lucky"], here());
    expect(document).toMatchObject({ tokens: [{ scopes: ["read", "deploy"] }] });
    const people = await cli(["tenant", "create", "plain", "--token"], here());
    expect(people.stdout).toMatch(/^es_plain_\S+\n$/);
    expect((await cli(["tenant", "create", "unlucky", "--token", "--scopes", "all"], here())).status).toBe(2);
    const { document: listed } = await cliJson(["tenant", "list"], here());
    expect(JSON.stringify(listed)).not.toContain("unlucky");
  });

  it("list has who only got a token", async () => {
    await cli(["token", "create", "--tenant", "token-only"], here());
    const { document } = await cliJson(["tenant", "list"], here());
    expect((document as { tenants: object[] }).tenants).toContainEqual({
      name: "token-only",
      created_at: null,
      suspended: false,
      channels: [],
    });
  });

  it("exits with 2 for a tenant that is not known", async () => {
    await cli(["tenant", "create", "known"], here());
    for (const words of [["suspend"], ["resume"], ["export"], ["delete", "--yes"], ["delete", "--dry-run"]]) {
      const [word = "", ...more] = words;
      const { status, document } = await cliJson(["tenant", word, "knwon", ...more], here());
      expect([status, document]).toEqual([
        2,
        {
          error: {
            code: "tenant-unknown",
            message: `Cannot ${word} "knwon": there is no tenant of this name`,
            candidates: expect.arrayContaining(["known"]),
          },
        },
      ]);
    }
  });
});

describe("edge-skills tenant --target http://127.0.0.1", { timeout: 60_000 }, () => {
  it("makes, lists, suspends, exports what has an archive, resumes and deletes over a running edge", async () => {
    const edge = await startLocalEdge();
    onTestFinished(() => edge.stop());
    const shared = { path: "bad.md", content: "bad\n" };
    await edge.deploy([
      await layerOf("platform", [{ name: "common" }]),
      await layerOf("acme", [{ name: "fine" }, { name: "spoilt", files: [shared] }]),
    ]);
    const operator = {
      cwd: folder.cwd,
      env: { USER: "eve", EDGE_SKILLS_TOKEN: await edge.token("platform", ["admin"]) },
    };
    const tenant = (...args: string[]) => cliJson(["tenant", ...args, "--target", edge.url], operator);
    const made = (await tenant("create", "acme", "--token", "--scopes", "read")).document as Made;
    const { token } = made.token;
    expect(made).toMatchObject({
      name: "acme",
      suspended: false,
      token: { token: expect.stringMatching(/^es_acme_/) },
    });
    const own = { name: "acme", created_at: expect.any(String), channels: ["live"] };
    expect((await tenant("list")).document).toEqual({ tenants: [{ ...own, suspended: false }] });
    expect((await tenant("suspend", "acme")).document).toEqual({ name: "acme", suspended: true });
    expect((await tenant("list")).document).toEqual({ tenants: [{ ...own, suspended: true }] });
    const seen = await cliJson(["list", "--target", edge.url], { cwd: folder.cwd, env: { EDGE_SKILLS_TOKEN: token } });
    expect(seen.document).toMatchObject({ error: { code: "tenant-suspended" } });

    const recall = ["block", await digestOf("bad\n"), "--reason", "wrong", "--target", edge.url];
    expect((await cliJson(recall, operator)).status).toBe(0);
    const exported = await tenant("export", "acme", "--to", "far");
    const file = join("skills", "acme", "fine.zip");
    expect([exported.status, exported.document]).toMatchObject([
      1,
      {
        name: "acme",
        tokens: [{ id: made.token.id }],
        skills: [{ name: "fine", layer: "acme", file }],
        left_out: [{ name: "spoilt", layer: "acme", code: "file-blocked" }],
      },
    ]);
    expect(exported.stderr).toContain("Left out spoilt: file-blocked: ");
    expect(existsSync(join(folder.cwd, "far", file))).toBe(true);
    const { document: tokens } = await cliJson(["token", "list", "--tenant", "acme", "--target", edge.url], operator);
    expect((tokens as { tokens: unknown[] }).tokens).toHaveLength(1);

    expect((await tenant("resume", "acme")).document).toEqual({ name: "acme", suspended: false });
    const removed = { tokens: 1, secrets: 0, channels: ["live"], files: 0 };
    const gone = await tenant("delete", "acme", "--yes");
    expect([gone.status, gone.document]).toEqual([0, { name: "acme", removed, dry_run: false }]);
    expect((await tenant("list")).document).toEqual({ tenants: [] });
    expect((await tenant("suspend", "acme")).document).toMatchObject({ error: { code: "tenant-unknown" } });
    const foreign = { cwd: folder.cwd, env: { EDGE_SKILLS_TOKEN: await edge.token("globex", ["admin"]) } };
    const refused = await cliJson(["tenant", "list", "--target", edge.url], foreign);
    expect(refused.document).toMatchObject({ error: { code: "scope-missing" } });
  });
});

interface Made {
  readonly token: { readonly id: string; readonly token: string };
}
