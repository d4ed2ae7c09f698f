import { describe, expect, it } from "vitest";
import { cli, cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";
import { ACCOUNT, API_TOKEN, BUCKET, LOGIN_TOKEN, NAMESPACE } from "../../helpers/cloudflare/account.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";

const SKILLS = { "skills/one/SKILL.md": skillMd("one", "first\n") };
const PLACE = { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET };

/** A stand-in, and what the environment says to reach it. */
async function standInWithEnv(): Promise<{ standIn: CloudflareStandIn; env: Record<string, string> }> {
  const standIn = await CloudflareStandIn.start();
  const env = {
    USER: "tester",
    CLOUDFLARE_API_TOKEN: API_TOKEN,
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
    EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
  };
  return { standIn, env };
}

describe("edge-skills --target", { timeout: 60_000 }, () => {
  it("deploys, tells, compares, goes back and prunes in the account that the settings name", async () => {
    const { standIn, env } = await standInWithEnv();
    const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify({ targets: { staging: PLACE } }) });
    const here = { cwd, env };
    const to = ["--target", "staging"];
    const first = await cliJson(["deploy", "skills", ...to], here);
    expect(first).toMatchObject({ status: 0, document: { layers: [{ previous: null, moved: true }] } });
    const other = directoryOf({ "skills/one/SKILL.md": skillMd("one", "second\n") });
    await cli(["deploy", `${other}/skills`, ...to], here);
    const differs = await cliJson(["diff", "live", "skills", ...to], here);
    expect(differs.document).toMatchObject({ layers: [{ skills: [{ skill: "one", change: "changed" }] }] });
    const back = await cliJson(["rollback", ...to], here);
    expect(back).toMatchObject({ status: 0, document: { layer: "platform", channel: "live" } });
    const status = await cliJson(["status", ...to], here);
    expect(status.document).toMatchObject({ layers: [{ layer: "platform", skills: 1, by: "tester" }] });
    const history = await cliJson(["history", ...to], here);
    expect((history.document as { history: unknown[] }).history).toHaveLength(3);
    const pruned = await cliJson(["prune", "--keep", "1", ...to], here);
    expect(pruned.document).toMatchObject({ removed: { indexes: 1, blobs: 2 }, kept: { indexes: 1, blobs: 2 } });
    await standIn.stop();
  });

  it("takes wrangler's login and its only account where the environment has no token", async () => {
    const { standIn, env } = await standInWithEnv();
    const { CLOUDFLARE_API_TOKEN: _token, CLOUDFLARE_ACCOUNT_ID: _account, ...rest } = env;
    const home = directoryOf({
      ".config/.wrangler/config/default.toml": `oauth_token = "${LOGIN_TOKEN}"\nrefresh_token = "none"\nexpiration_time = "2100-01-01T00:00:00.000Z"\nscopes = [ "account:read" ]\n`,
    });
    const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify({ targets: { staging: PLACE } }) });
    const here = { cwd, env: { ...rest, HOME: home, PATH: process.env.PATH ?? "" } };
    const deployed = await cliJson(["deploy", "skills", "--target", "staging"], here);
    expect(deployed).toMatchObject({ status: 0, document: { layers: [{ previous: null, moved: true }] } });
    expect([...standIn.r2.keys()]).toEqual(["channel/platform/live"]);
    const nobody = { cwd, env: { ...here.env, HOME: cwd } };
    expect(await cli(["deploy", "skills", "--target", "staging"], nobody)).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("nobody is logged in to wrangler"),
    });
    await standIn.stop();
  });

  it("takes all of it from the environment, which counts more than the settings", async () => {
    const { standIn, env } = await standInWithEnv();
    const settings = { targets: { cloudflare: { ...PLACE, kv_namespace_id: "f".repeat(32), account_id: "wrong" } } };
    const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify(settings) });
    const said = {
      ...env,
      EDGE_SKILLS_TARGET: "cloudflare",
      EDGE_SKILLS_KV_NAMESPACE_ID: NAMESPACE,
      EDGE_SKILLS_CHANNEL: "night",
    };
    const { status, document } = await cliJson(["deploy", "skills"], { cwd, env: said });
    expect([status, document]).toMatchObject([0, { channel: "night" }]);
    // A flag counts more than the environment.
    const local = await cliJson(["status", "--target", "local"], { cwd, env: said });
    expect(local.document).toEqual({ channel: "night", layers: [] });
    await standIn.stop();
  });

  it("says what is missing, sends nothing, and exits as documented", async () => {
    const { standIn, env } = await standInWithEnv();
    const cwd = directoryOf({
      ...SKILLS,
      "edge-skills.json": JSON.stringify({ targets: { staging: PLACE, bare: {} } }),
    });
    const ended = async (target: string, more: Record<string, string>) => {
      const outcome = await cliJson(["deploy", "skills", "--target", target], { cwd, env: { ...env, ...more } });
      const { error } = outcome.document as { error: { code: string; message: string } };
      expect(outcome.stderr).not.toContain(API_TOKEN);
      return [outcome.status, error.code, error.message];
    };
    expect(await ended("staging", { CLOUDFLARE_API_TOKEN: "" })).toEqual([
      3,
      "credentials-invalid",
      "Cannot deploy to staging: CLOUDFLARE_API_TOKEN is not set, and nobody is logged in to wrangler",
    ]);
    expect(await ended("bare", {})).toEqual([2, "config-invalid", expect.stringContaining('no "kv_namespace_id"')]);
    expect(await ended("nowhere", {})).toEqual([2, "usage", expect.stringContaining('"nowhere"')]);
    expect(standIn.seen).toEqual([]);
    standIn.accounts.push({ id: "f".repeat(32), name: "Another" });
    expect(await ended("staging", { CLOUDFLARE_ACCOUNT_ID: "" })).toEqual([
      3,
      "credentials-invalid",
      `This login has several accounts: ${ACCOUNT} (Stand-in), ${"f".repeat(32)} (Another)`,
    ]);
    expect(await ended("staging", { CLOUDFLARE_ACCOUNT_ID: "f".repeat(32) })).toEqual([
      3,
      "credentials-invalid",
      expect.stringContaining("refuses the API token"),
    ]);
    expect([standIn.kv.size, standIn.r2.size]).toEqual([0, 0]);
    await standIn.stop();
  });
});
