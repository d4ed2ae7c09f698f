import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { BUNDLE_FORMAT } from "../../../src/bundle/index-format.ts";
import { Terminal } from "../../../src/cli/terminal.ts";
import { withEdgeApi } from "../../../src/cli/with-edge.ts";
import { FORMATS_VARIABLE } from "../../../src/deploy/cloudflare/worker-formats.ts";
import { startLocalPlatform } from "../../../src/deploy/local-platform.ts";
import { cli, cliJson, directoryOf, FakeProcess, skillMd, writeFiles } from "../../helpers/cli.ts";
import { ACCOUNT, API_TOKEN, BUCKET, NAMESPACE } from "../../helpers/cloudflare/account.ts";
import { CloudflareStandIn } from "../../helpers/cloudflare/stand-in.ts";
import { layerOf } from "../../helpers/deployable.ts";
import { serveSite } from "../../helpers/http-site.ts";
import { type LocalEdge, startLocalEdge } from "../../helpers/local-edge.ts";

const HELLO = {
  name: "common",
  files: [{ path: "scripts/hello.sh", content: "echo hello\n" }],
  scripts: [{ path: "scripts/hello.sh", runtime: "bash" as const }],
};

const WRANGLER = readFileSync("wrangler.toml", "utf8");

let edge: LocalEdge;
let admin = "";
beforeAll(async () => {
  edge = await startLocalEdge({ approval: { run_skill_script: "ask" } });
  const platform = await layerOf("platform", [HELLO]);
  await edge.deploy([platform, await layerOf("acme", [{ name: "own" }])]);
  admin = await edge.token("platform", ["admin"]);
}, 60_000);
afterAll(() => edge.stop());

/** A directory without settings, and a token. */
const as = (token: string, more: Record<string, string> = {}) => ({
  cwd: directoryOf({}),
  env: { USER: "tester", EDGE_SKILLS_TOKEN: token, ...more },
});

interface Made {
  readonly id: string;
  readonly token: string;
}

describe("edge-skills --target https://…", { timeout: 60_000 }, () => {
  it("makes, lists and revokes tokens over the edge's own API", async () => {
    const of = ["--tenant", "acme", "--target", edge.url];
    const { status, document } = await cliJson(["token", "create", "--scopes", "read,deploy", ...of], as(admin));
    const made = document as Made;
    expect([status, made]).toEqual([0, { id: expect.any(String), token: expect.stringMatching(/^es_acme_/) }]);
    const listed = await cliJson(["token", "list", ...of], as(admin));
    const { created_at } = (listed.document as { tokens: { created_at: string }[] }).tokens[0] ?? {};
    const shown = { id: made.id, tenant: "acme", scopes: ["read", "deploy"], channel: "live", created_at };
    expect(listed).toEqual({ status: 0, document: { tokens: [shown] }, stderr: "" });
    const revoke = ["token", "revoke", made.id, ...of];
    expect((await cli(revoke, as(admin))).stderr).toBe(`Revoked ${made.id}.\n`);
    expect(await cliJson(revoke, as(admin))).toMatchObject({
      status: 2,
      document: {
        error: { code: "token-unknown", message: `Cannot revoke token "${made.id}": acme has none with this id` },
      },
    });
  });

  it("lists, shows and runs what a token sees there", async () => {
    const token = await edge.token("acme", ["read", "run"]);
    const list = await cliJson(["list", "--target", edge.url], as(token));
    expect((list.document as { skills: { name: string }[] }).skills.map(({ name }) => name).sort()).toEqual([
      "common",
      "own",
    ]);
    const asked = await cliJson(["list", "--from", edge.url, "--tenant", "acme"], as(token));
    expect(asked).toEqual(list);
    const show = await cliJson(["show", "own"], as(token, { EDGE_SKILLS_TARGET: `${edge.url}/` }));
    expect(show).toMatchObject({ status: 0, document: { name: "own", layer: "acme" } });
    const gone = await cliJson(["show", "own", "--from", "night", "--target", edge.url], as(token));
    expect(gone).toMatchObject({ status: 1, document: { error: { code: "skill-not-found" } } });
    const run = await cliJson(["run", "common", "scripts/hello.sh", "--from", edge.url], as(token));
    expect(run).toMatchObject({ status: 1, document: { approval: { status: "pending", url: expect.any(String) } } });
    const other = await cliJson(["list", "--from", edge.url, "--tenant", "globex"], as(token));
    expect(other).toMatchObject({ status: 2, document: { error: { code: "usage" } } });
  });

  it("takes the address from the settings, and a token of the target's own before the common one", async () => {
    const cwd = directoryOf({
      "edge-skills.json": JSON.stringify({
        targets: { "my-edge": { type: "edge", url: edge.url }, bare: { type: "edge" } },
      }),
    });
    const env = { USER: "tester", EDGE_SKILLS_TOKEN: "es_wrong", EDGE_SKILLS_TOKEN_MY_EDGE: admin };
    const outcome = await cliJson(["token", "list", "--tenant", "nobody", "--target", "my-edge"], { cwd, env });
    expect(outcome).toMatchObject({ status: 0, document: { tokens: [] } });
    expect(await cliJson(["list", "--target", "bare"], { cwd, env })).toMatchObject({
      status: 2,
      document: { error: { code: "config-invalid", message: 'Cannot use target "bare": its settings have no "url"' } },
    });
  });

  it("ends with the problem's code and its exit status, and never shows the token", async () => {
    const weak = await edge.token("acme", ["read"]);
    const ended = async (token: string, url = edge.url) => {
      const words = ["token", "list", "--target", url];
      const { status, document, stderr } = await cliJson(words, as(token));
      const { code, message } = (document as { error: { code: string; message: string } }).error;
      expect(token === "" || !`${message}${stderr}`.includes(token)).toBe(true);
      return [status, code, message];
    };
    expect(await ended("es_acme_x")).toEqual([3, "token-invalid", "Cannot accept the token: it is not valid"]);
    expect(await ended(weak)).toEqual([3, "scope-missing", 'Cannot do this: the token lacks the scope "admin"']);
    expect(await ended("")).toEqual([
      3,
      "credentials-invalid",
      `Cannot ask ${edge.url}/: EDGE_SKILLS_TOKEN is not set`,
    ]);
    expect(await ended("two words")).toEqual([3, "credentials-invalid", expect.any(String)]);
    expect(await ended(weak, "http://skills.example.com")).toEqual([
      2,
      "usage",
      'Cannot use "http://skills.example.com": a token is sent over https only, except to this machine',
    ]);
    expect(await ended(weak, "https://me:secret@skills.example.com")).toEqual([2, "usage", expect.any(String)]);
    expect(await ended(weak, "http://127.0.0.1:9")).toEqual([3, "edge-unavailable", expect.any(String)]);
  });

  it("takes no answer that is not an edge's, and follows no redirect", async () => {
    let strangers = 0;
    const stranger = await serveSite(() => {
      strangers++;
      return new Response("");
    });
    const sites: [site: () => Response, message: RegExp][] = [
      [() => Response.redirect(stranger), /it sends to http:\/\/127/],
      [() => new Response("<html>", { headers: { "Content-Type": "text/html" } }), /200 with text\/html is no edge's/],
      [() => new Response("[]"), /is no edge's/],
      [() => Response.json({ message: "no" }, { status: 404 }), /404 with application\/json is no edge's/],
      [() => Response.json({ code: "of-tomorrow", detail: "Wait" }, { status: 503 }), /Wait \(of-tomorrow\)/],
      [() => new Response(new Uint8Array(64 * 1024 * 1024 + 1).fill(32)), /it is over 67108864 bytes/],
    ];
    for (const [site, message] of sites) {
      const outcome = await cliJson(["token", "list", "--target", await serveSite(site)], as(admin));
      expect(outcome).toMatchObject({
        status: 3,
        document: { error: { code: "edge-unavailable", message: expect.stringMatching(message) } },
      });
    }
    expect(strangers).toBe(0);
  });
});

describe("withEdgeApi()", { timeout: 60_000 }, () => {
  it("asks the local state as one who may do everything, with a token that ends with it", async () => {
    const host = new FakeProcess();
    const context = {
      terminal: new Terminal(host),
      cwd: directoryOf({}),
      env: {},
      signal: new AbortController().signal,
      startPlatform: startLocalPlatform,
      command: { name: "token list", access: "beside" as const },
    };
    const flags = { target: "local", state: "state", config: "edge-skills.json" };
    const made = await withEdgeApi(flags, context, async (local) => {
      await local.ask("POST", "/v1/tokens?tenant=acme", { scopes: ["read"] });
      expect(await local.ask("GET", "/v1/tokens")).toMatchObject({ tokens: [{ scopes: ["admin"] }] });
      return local.ask("GET", "/v1/tokens?tenant=acme");
    });
    expect(made).toMatchObject({ tokens: [{ tenant: "acme", scopes: ["read"] }] });
    const left = await cliJson(["token", "list", "--state", "state"], { cwd: context.cwd });
    expect(left.document).toEqual({ tokens: [] });
  });

  it("says what to write when a Cloudflare target does not tell where its edge is", async () => {
    const cwd = directoryOf({ "edge-skills.json": JSON.stringify({ targets: { production: {} } }) });
    expect(await cliJson(["list", "--target", "production"], { cwd })).toMatchObject({
      status: 2,
      document: { error: { code: "usage" } },
    });
  });
});

describe("edge-skills deploy --target https://…", { timeout: 60_000 }, () => {
  const SKILLS = {
    "skills/one/SKILL.md": skillMd("one", "first\n"),
    "skills/one/scripts/hi.ts": "console.log('hi');\n",
  };

  it("deploys a tenant's own layer with its token, and looks, compares, promotes and goes back there", async () => {
    const token = await edge.token("globex", ["read", "deploy"]);
    const cwd = directoryOf(SKILLS);
    const env = { USER: "tester", EDGE_SKILLS_TOKEN: token, EDGE_SKILLS_TARGET: edge.url };
    const at = { cwd, env };
    const dry = await cliJson(["deploy", "skills", "--dry-run"], at);
    expect(dry).toMatchObject({
      status: 0,
      document: { layers: [{ layer: "globex", previous: null }], dry_run: true },
    });
    const first = await cliJson(["deploy", "skills"], at);
    expect(first).toMatchObject({
      status: 0,
      document: { layers: [{ layer: "globex", moved: true }], address: `${edge.url}/` },
    });
    writeFiles(cwd, { "skills/one/SKILL.md": skillMd("one", "second\n") });
    const differs = await cliJson(["diff", "live", "skills"], at);
    expect(differs.document).toMatchObject({
      layers: [{ layer: "globex", skills: [{ skill: "one", change: "changed" }] }],
    });
    const tried = await cliJson(["deploy", "skills", "--channel", "preview-1"], at);
    expect(tried.document).toMatchObject({ address: `${edge.url}/c/preview-1/` });
    expect(await cliJson(["promote", "preview-1"], at)).toMatchObject({ status: 0, document: { to: "live" } });
    const show = await cliJson(["show", "one"], at);
    expect(show).toMatchObject({ status: 0, document: { body: "second\n", layer: "globex" } });
    expect(await cliJson(["rollback"], at)).toMatchObject({ status: 0, document: { layer: "globex" } });
    const status = await cliJson(["status"], at);
    expect(status.document).toMatchObject({
      layers: [{ layer: "globex", skills: 1, by: expect.stringMatching(/^tester \(token [\w-]+\)$/) }],
    });
    const history = await cliJson(["history"], at);
    expect((history.document as { history: { reason: string }[] }).history.map(({ reason }) => reason)).toEqual([
      "rollback",
      "deploy",
      "deploy",
    ]);
    const other = await cliJson(["deploy", "skills", "--tenant", "acme"], at);
    expect(other).toMatchObject({ status: 3, document: { error: { code: "scope-missing" } } });
    const prunes = await cliJson(["prune"], at);
    expect(prunes).toMatchObject({ status: 2, document: { error: { code: "usage" } } });
    // What another tenant sees is what it saw before.
    const acme = await cliJson(["list"], as(await edge.token("acme", ["read"]), { EDGE_SKILLS_TARGET: edge.url }));
    expect((acme.document as { skills: { name: string }[] }).skills.map(({ name }) => name).sort()).toEqual([
      "common",
      "own",
    ]);
  });

  it("deploys every layer with the operator's token", async () => {
    const cwd = directoryOf({
      "skills/platform/all/SKILL.md": skillMd("all"),
      "skills/tenants/initech/mine/SKILL.md": skillMd("mine"),
    });
    const words = ["deploy", "skills", "--channel", "staging", "--target", edge.url];
    const outcome = await cliJson(words, { cwd, env: { USER: "tester", EDGE_SKILLS_TOKEN: admin } });
    expect(outcome).toMatchObject({ status: 0, document: { layers: [{ layer: "platform" }, { layer: "initech" }] } });
    const status = await cliJson(["status", "--channel", "staging", "--target", edge.url], as(admin));
    expect(status.document).toMatchObject({ layers: [{ layer: "platform" }, { layer: "initech" }] });
  });
});

describe("edge-skills deploy of a bundle that the edge does not read", { timeout: 60_000 }, () => {
  const SKILLS = { "skills/one/SKILL.md": skillMd("one") };
  const refusal = (name: string) => ({
    status: 3,
    document: {
      error: {
        code: "bundle-format-unknown",
        message: `Cannot deploy to ${name}: its edge reads bundles of format 2, 3, these have 1. Nothing was sent`,
      },
    },
  });

  it("is refused before anything is sent, over the edge's API and for a Cloudflare account", async () => {
    const asked: string[] = [];
    const url = await serveSite((request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname} ${request.headers.get("Authorization")}`);
      return Response.json({ status: "ok", bundle_formats: [2, 3] });
    });
    const standIn = await CloudflareStandIn.start();
    onTestFinished(() => standIn.stop());
    const place = { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET, url };
    const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify({ targets: { production: place } }) });
    const env = {
      USER: "tester",
      EDGE_SKILLS_TOKEN: admin,
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
      EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
    };
    for (const target of [url, "production"]) {
      expect(await cliJson(["deploy", "skills", "--target", target], { cwd, env })).toMatchObject(refusal(target));
      expect(await cliJson(["deploy", "skills", "--target", target, "--dry-run"], { cwd, env })).toMatchObject(
        refusal(target),
      );
    }
    expect([standIn.seen, new Set(asked)]).toEqual([[], new Set(["GET /healthz null"])]);
  });

  it("is refused for an account without a url too, by what Cloudflare says of the Worker's variables", async () => {
    const standIn = await CloudflareStandIn.start();
    onTestFinished(() => standIn.stop());
    const env = {
      USER: "tester",
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
      EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
    };
    const place = { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET };
    const deployed = (settings: object) => {
      const targets = { production: { ...place, ...settings } };
      const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify({ targets }) });
      return cliJson(["deploy", "skills", "--target", "production"], { cwd, env });
    };
    standIn.variables.set(FORMATS_VARIABLE, "2, 3");
    expect(await deployed({})).toMatchObject(refusal("production"));
    expect(standIn.seen).toHaveLength(1);
    // Nobody tells: a Worker that is not there yet, one that does not say it, one that says something else.
    expect((await deployed({ worker: "another" })).status).toBe(0);
    for (const said of ["all", ""]) {
      standIn.variables.set(FORMATS_VARIABLE, said);
      expect((await deployed({})).status).toBe(0);
    }
    standIn.variables.set(FORMATS_VARIABLE, /^EDGE_SKILLS_BUNDLE_FORMATS = "(.*)"$/m.exec(WRANGLER)?.[1] ?? "none");
    expect((await deployed({})).status).toBe(0);
    expect(standIn.variables.get(FORMATS_VARIABLE)).toBe(String(BUNDLE_FORMAT));
  });

  it("is not held up by an edge that does not answer yet, or says nothing of formats", async () => {
    const standIn = await CloudflareStandIn.start();
    onTestFinished(() => standIn.stop());
    const env = {
      USER: "tester",
      CLOUDFLARE_API_TOKEN: API_TOKEN,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_BASE_URL: standIn.apiBaseUrl,
      EDGE_SKILLS_R2_ENDPOINT: standIn.r2Endpoint,
    };
    const deployed = async (url: string) => {
      const place = { kv_namespace_id: NAMESPACE, r2_bucket: BUCKET, url };
      const cwd = directoryOf({ ...SKILLS, "edge-skills.json": JSON.stringify({ targets: { production: place } }) });
      return cli(["deploy", "skills", "--target", "production"], { cwd, env });
    };
    const unasked = await deployed("http://127.0.0.1:9");
    expect([unasked.status, unasked.stderr]).toEqual([
      0,
      expect.stringContaining("No edge answers at http://127.0.0.1:9 yet"),
    ]);
    const older = await deployed(await serveSite(() => Response.json({ status: "ok" })));
    expect([older.status, older.stderr]).toEqual([0, expect.not.stringContaining("No edge answers")]);
  });
});
