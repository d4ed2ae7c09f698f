import { mkdtempSync, readFileSync, rmSync } from "node:fs";
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
    writeFiles(cwd, {
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
    const written = readFileSync(join(cwd, "out", "tenant.json"), "utf8");
    expect([JSON.parse(written), written.includes("hash")]).toEqual([document, false]);
    const back = await cliJson(["import", join("out", file), "--to", "back"], here());
    expect([back.status, readFileSync(join(cwd, "back", "own", "a.md"), "utf8")]).toEqual([0, "A\n"]);
    const { document: left } = await cliJson(["token", "list", "--tenant", "kept"], here());
    expect((left as { tokens: unknown[] }).tokens).toHaveLength(1);
    expect((await cli(["tenant", "export", "kept", "--to", "out"], here())).status).toBe(2);
    expect((await cli(["tenant", "export", "nobody"], here())).status).toBe(2);
  });

  it("delete tells what goes, needs --yes and removes it", async () => {
    await cli(["tenant", "create", "gone"], here());
    await cli(["token", "create", "--tenant", "gone"], here());
    const unsure = await cli(["tenant", "delete", "gone"], here());
    expect([unsure.status, unsure.stderr]).toEqual([2, expect.stringContaining("Of gone go 1 tokens, 0 secrets")]);
    const would = await cliJson(["tenant", "delete", "gone", "--dry-run"], here());
    expect(would.document).toMatchObject({ removed: { tokens: 1 }, dry_run: true });
    const did = await cliJson(["tenant", "delete", "gone", "--yes"], here());
    expect([did.status, did.document]).toMatchObject([0, { name: "gone", removed: { tokens: 1 }, dry_run: false }]);
    const { document } = await cliJson(["token", "list", "--tenant", "gone"], here());
    expect(document).toEqual({ tokens: [] });
  });

  it("exits with 2 for a tenant that is not known", async () => {
    expect((await cli(["tenant", "suspend", "nobody"], here())).status).toBe(2);
  });
});
