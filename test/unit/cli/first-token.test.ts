import { describe, expect, it, onTestFinished } from "vitest";
import { startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { hashToken, newToken } from "../../../src/model/token.ts";
import { cli, cliJson, directoryOf, skillMd } from "../../helpers/cli.ts";
import { ACCOUNT, API_TOKEN } from "../../helpers/cloudflare/account.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";

const SECRET = "EDGE_SKILLS_FIRST_TOKEN_HASH";

/** An account in which the edge Worker is deployed, and what the environment says to reach it. */
async function account(settings: object = {}) {
  const standIn = await CloudflareStandIn.start();
  onTestFinished(() => standIn.stop());
  const env = {
    USER: "tester",
    CLOUDFLARE_API_TOKEN: API_TOKEN,
    CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
    CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
  };
  const cwd = directoryOf({ "edge-skills.json": JSON.stringify({ targets: { production: settings } }) });
  return { secrets: standIn.workers.get("edge-skills") ?? new Map<string, string>(), at: { cwd, env }, standIn };
}

/** A deployed edge with the secret that the account has now. */
async function edgeWith(secret: string | undefined): Promise<string> {
  const first = secret === undefined ? {} : { firstToken: secret };
  const platform = await startLocalPlatform({ state: null, mode: "production", ...first });
  onTestFinished(() => platform.stop());
  return platform.url.origin;
}

const TO = ["--target", "production"];

describe("edge-skills token create --first", { timeout: 60_000 }, () => {
  it("leads from a deployed edge without a token to a tenant that deploys", async () => {
    const { secrets, at } = await account();
    const made = await cliJson(["token", "create", "--first", ...TO], at);
    const { token } = made.document as { token: string };
    expect(made).toMatchObject({ status: 0, document: { id: "first", token: expect.stringMatching(/^es_platform_/) } });
    // Only the hash leaves this machine.
    expect([...secrets]).toEqual([[SECRET, await hashToken(token)]]);

    const url = await edgeWith(secrets.get(SECRET));
    const asFirst = { cwd: at.cwd, env: { USER: "tester", EDGE_SKILLS_TOKEN: token } };
    const on = ["--target", url];
    const admin = await cliJson(["token", "create", "--scopes", "admin", ...on], asFirst);
    const asAdmin = {
      ...asFirst,
      env: { ...asFirst.env, EDGE_SKILLS_TOKEN: (admin.document as { token: string }).token },
    };
    const tenant = ["token", "create", "--tenant", "acme", "--scopes", "read,deploy", ...on];
    const acme = await cliJson(tenant, asAdmin);
    const cwd = directoryOf({ "skills/one/SKILL.md": skillMd("one") });
    const env = { USER: "tester", EDGE_SKILLS_TOKEN: (acme.document as { token: string }).token };
    expect(await cliJson(["deploy", "skills", ...on], { cwd, env })).toMatchObject({ status: 0 });
    expect(await cliJson(["list", ...on], { cwd, env })).toMatchObject({ document: { skills: [{ name: "one" }] } });

    expect((await cli(["token", "revoke", "first", ...TO], at)).stderr).toBe("Revoked the first token.\n");
    expect([...secrets]).toEqual([]);
    expect(await cliJson(["token", "revoke", "first", ...TO], at)).toMatchObject({
      status: 2,
      document: { error: { code: "token-unknown" } },
    });
  });

  it("lets in exactly the token of the secret: none without one, none that was replaced", async () => {
    const { secrets, at } = await account();
    const create = async () =>
      ((await cliJson(["token", "create", "--first", ...TO], at)).document as { token: string }).token;
    const [before, now] = [await create(), await create()];
    const statusOf = async (url: string, token: string) =>
      (await fetch(new URL("/v1/tokens", url), { headers: { Authorization: `Bearer ${token}` } })).status;
    const [without, replaced] = [await edgeWith(undefined), await edgeWith(secrets.get(SECRET))];
    expect(await statusOf(without, now)).toBe(401);
    expect([await statusOf(replaced, now), await statusOf(replaced, before)]).toEqual([200, 401]);
    expect(await statusOf(replaced, newToken("platform"))).toBe(401);
    // The same secret part, addressed to a tenant, is another token.
    expect(await statusOf(replaced, now.replace("es_platform_", "es_acme_"))).toBe(401);
    const broken = await edgeWith("not a hash");
    expect(await statusOf(broken, now)).toBe(500);
    expect(await statusOf(await edgeWith(""), now)).toBe(401);
  });

  it("says what is wrong, and shows no token then", async () => {
    const { at, standIn } = await account({ worker: "elsewhere" });
    const ended = async (target: string, env = at.env) => {
      const outcome = await cliJson(["token", "create", "--first", "--target", target], { ...at, env });
      expect(`${outcome.stderr}${JSON.stringify(outcome.document)}`).not.toMatch(/es_platform_/);
      return [outcome.status, (outcome.document as { error: { code: string } }).error.code];
    };
    expect(await ended("production")).toEqual([3, "storage-unavailable"]);
    expect(await ended("local")).toEqual([2, "usage"]);
    expect(await ended("https://skills.example.com")).toEqual([2, "usage"]);
    expect(await ended("nowhere")).toEqual([2, "usage"]);
    expect(await ended("cloudflare", { ...at.env, CLOUDFLARE_API_TOKEN: "wrong" })).toEqual([3, "credentials-invalid"]);
    expect([...(standIn.workers.get("edge-skills") ?? [])]).toEqual([]);
  });
});
