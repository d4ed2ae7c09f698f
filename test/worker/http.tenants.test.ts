import { describe, expect, it } from "vitest";
import { hashToken, newToken } from "../../src/model/token.ts";
import { TokenVerifier } from "../../src/tenancy/token-verifier.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let edges = 0;

async function scene() {
  const edge = new PrivateEdge(`tenants-${edges++}`, {
    approval: { run_skill_script: "never" },
    tenants: { configured: { approval: { run_skill_script: "ask" } } },
  });
  await edge.deploy("platform", [{ name: "common" }]);
  await edge.deploy("acme", [{ name: "own" }]);
  const { token: operator } = await edge.token("platform", ["admin"]);
  const { token } = await edge.token("acme", ["admin"]);
  const post = (path: string, body: unknown = {}, as = operator) =>
    edge.ask(as, path, { method: "POST", body: JSON.stringify(body) });
  const list = async (): Promise<unknown> => (await edge.ask(operator, "/v1/tenants")).json();
  return { edge, operator, token, post, list };
}

const SUSPENDED = problem(
  403,
  "tenant-suspended",
  "Tenant is suspended",
  "Cannot answer: the operator has suspended this tenant",
);

describe("/v1/tenants", () => {
  it("writes a name down once, and lists it beside those that have a layer or settings", async () => {
    const { post, list } = await scene();
    const made = await post("/v1/tenants", { name: "fresh" });
    const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
    expect([made.status, await made.json()]).toEqual([201, { name: "fresh", created_at, suspended: false }]);
    expect(await problemOf(await post("/v1/tenants", { name: "fresh" }))).toMatchObject({
      status: 409,
      body: { code: "tenant-exists" },
    });
    const plain = { created_at: null, suspended: false, channels: [] };
    expect(await list()).toEqual({
      tenants: [
        { ...plain, name: "acme", channels: ["live"] },
        { ...plain, name: "configured" },
        { ...plain, name: "fresh", created_at },
      ],
    });
  });

  it("lists who has only a token, a secret or a skill put at run time; asking about a tenant lists nobody", async () => {
    const edge = new PrivateEdge(`tenants-${edges++}`, {}, { EDGE_SKILLS_KEY: btoa("k".repeat(32)) });
    const { token: operator } = await edge.token("platform", ["admin"]);
    const send = (method: string, path: string, body: unknown, as = operator) =>
      edge.ask(as, path, { method, body: JSON.stringify(body) });
    await edge.ask(operator, "/v1/tokens?tenant=asked");
    await edge.ask(operator, "/v1/secrets?tenant=asked");
    await edge.ask(operator, "/v1/skills?tenant=asked");
    await edge.ask(newToken("asked"), "/v1/skills");
    const made = await send("POST", "/v1/tokens?tenant=by-token", { scopes: ["read"] });
    expect((await send("PUT", "/v1/secrets/github?tenant=by-secret", { value: "x" })).status).toBe(204);
    const { token: writer } = await edge.token("by-skill", ["write"]);
    const files = [{ path: "SKILL.md", content: "---\nname: put\ndescription: Put.\n---\n" }];
    expect((await send("PUT", "/v1/runtime/skills/put", { files }, writer)).status).toBe(200);
    const names = async (): Promise<string[]> => {
      const { tenants } = (await (await edge.ask(operator, "/v1/tenants")).json()) as { tenants: { name: string }[] };
      return tenants.map(({ name }) => name);
    };
    expect(await names()).toEqual(["by-secret", "by-skill", "by-token"]);
    // What it had is gone, the tenant is known until it is deleted; it may still be made by name.
    const { id }: { id: string } = await made.json();
    await edge.ask(operator, `/v1/tokens/${id}?tenant=by-token`, { method: "DELETE" });
    expect((await send("POST", "/v1/tenants", { name: "by-token" })).status).toBe(201);
    expect((await send("POST", "/v1/tenants/by-secret/suspend", {})).status).toBe(200);
    await edge.ask(operator, "/v1/tenants/by-token", { method: "DELETE" });
    expect(await names()).toEqual(["by-secret", "by-skill"]);
  });

  it.each(["platform", "runtime", "A b", "", "-x"])("takes no name that is none: %j", async (name) => {
    const { post } = await scene();
    expect((await post("/v1/tenants", { name })).status).toBe(400);
  });

  it("is the platform's alone, and knows no tenant by guess", async () => {
    const { post, token } = await scene();
    for (const path of ["/v1/tenants", "/v1/tenants/acme/suspend", "/v1/tenants/nobody/suspend"]) {
      expect(await problemOf(await post(path, { name: "x" }, token))).toMatchObject({
        status: 403,
        body: { code: "scope-missing" },
      });
    }
    for (const name of ["nobody", "platform", "runtime"]) {
      expect((await post(`/v1/tenants/${name}/suspend`)).status).toBe(404);
    }
  });
});

describe("a suspended tenant", () => {
  it("is refused at every door with all of its tokens, others are not, and is let in again", async () => {
    const { edge, post, token, list, operator } = await scene();
    const other = await edge.token("globex", ["read"]);
    expect(await (await post("/v1/tenants/acme/suspend")).json()).toEqual({ name: "acme", suspended: true });
    edge.forget();
    expect(await list()).toMatchObject({ tenants: [{ name: "acme", suspended: true }, { suspended: false }] });
    const doors: readonly (readonly [string, string])[] = [
      ["GET", "/v1/context"],
      ["GET", "/v1/skills"],
      ["GET", "/v1/skills/own/archive.zip"],
      ["GET", "/.well-known/agent-skills/index.json"],
      ["GET", "/v1/approvals"],
      ["GET", "/v1/tokens"],
      ["GET", "/v1/deploys"],
      ["POST", "/v1/uploads"],
      ["POST", "/v1/deploys"],
      ["POST", "/v1/tools/load_skill"],
      ["POST", "/v1/tools/run_skill_script"],
      ["POST", "/v1/tool-calls"],
      ["POST", "/mcp"],
      ["PUT", "/v1/runtime/skills/own"],
    ];
    for (const [method, path] of doors) {
      const answer = await edge.ask(token, path, { method, ...(method === "GET" ? {} : { body: "{}" }) });
      expect([path, await problemOf(answer)]).toEqual([path, SUSPENDED]);
    }
    // Only who has a token of it is told; for anybody else it is a token like any that does not count.
    expect((await edge.ask(newToken("acme"), "/v1/skills")).status).toBe(401);
    expect((await edge.ask(other.token, "/v1/skills")).status).toBe(200);
    expect((await edge.ask(operator, "/v1/skills")).status).toBe(200);
    await post("/v1/tenants/acme/resume");
    edge.forget();
    expect((await edge.ask(token, "/v1/skills")).status).toBe(200);
  });

  it("is refused by an isolate that remembers its token once that is looked up again, a JWT of it too", async () => {
    const { edge } = await scene();
    const clock = { now: 1_000_000 };
    const jwt = "header.payload.signature";
    const grant = { token: "jwt:ada", tenant: "acme", scopes: ["read"], channel: "live" } as const;
    const foreign = async () => ({ grant, until: Number.POSITIVE_INFINITY });
    const verifier = new TokenVerifier(edge.env.TENANTS, () => clock.now, null, foreign);
    const token = newToken("acme");
    const made = { id: "t", scopes: ["read"] as const, channel: "live", created_at: "2026-11-30T00:00:00.000Z" };
    await edge.tenant("acme").addToken({ ...made, hash: await hashToken(token) });
    const outcome = (text: string) =>
      verifier.verify(text).then(
        ({ tenant }) => tenant,
        ({ code }) => code,
      );
    const codes = async () => [await outcome(token), await outcome(jwt)];
    const before = await codes();
    await edge.tenant("acme").setTenantState("suspended");
    const remembered = await codes();
    clock.now += 5_000;
    const allowed = ["acme", "acme"];
    const refused = ["tenant-suspended", "tenant-suspended"];
    expect([before, remembered, await codes()]).toEqual([allowed, allowed, refused]);
    await edge.tenant("acme").setTenantState("active");
    clock.now += 5_000;
    expect(await codes()).toEqual(before);
  });
});

describe("GET /v1/skills?tenant=", () => {
  it("shows the platform's operator what a tenant's callers see, also while it is suspended, and nobody else", async () => {
    const { edge, operator, post, token } = await scene();
    await post("/v1/tenants/acme/suspend");
    edge.forget();
    const list = await edge.ask(operator, "/v1/skills?tenant=acme");
    const { skills }: { skills: { name: string; layer: string }[] } = await list.json();
    expect(skills.map(({ name, layer }) => [name, layer])).toEqual([
      ["common", "platform"],
      ["own", "acme"],
    ]);
    for (const path of ["", "/files/SKILL.md", "/archive.zip"]) {
      expect((await edge.ask(operator, `/v1/skills/own${path}?tenant=acme`)).status).toBe(200);
      expect((await edge.ask(operator, `/v1/skills/own${path}`)).status).toBe(404);
    }
    await post("/v1/tenants/acme/resume");
    edge.forget();
    const { token: reader } = await edge.token("platform", ["read"]);
    for (const [as, tenant] of [
      [token, "globex"],
      [token, "nobody"],
      [reader, "acme"],
    ] as const) {
      for (const path of ["/v1/skills", "/v1/skills/own", "/v1/skills/own/archive.zip"]) {
        expect(await problemOf(await edge.ask(as, `${path}?tenant=${tenant}`))).toMatchObject({
          status: 403,
          body: { code: "scope-missing" },
        });
      }
    }
  });
});

describe("DELETE /v1/tenants/{name}", () => {
  it("removes tokens, secrets' object, layer, run-time skills and name, of this tenant alone, and may be done again", async () => {
    const { edge, operator, token, post, list } = await scene();
    await post("/v1/tenants", { name: "acme" });
    const { token: other } = await edge.token("globex", ["write", "read"]);
    const files = [{ path: "SKILL.md", content: "---\nname: put\ndescription: Put.\n---\nBody.\n" }];
    for (const as of [token, other]) {
      const put = { method: "PUT", body: JSON.stringify({ files }) };
      expect((await edge.ask(as, "/v1/runtime/skills/put", put)).status).toBe(200);
    }
    const remove = async () => (await edge.ask(operator, "/v1/tenants/acme", { method: "DELETE" })).json();
    const removed = { tokens: 1, secrets: 0, channels: ["live"], files: 2 };
    expect(await remove()).toEqual({ name: "acme", removed });
    edge.forget();
    expect((await edge.ask(token, "/v1/skills")).status).toBe(401);
    expect(await edge.keys("channel/acme/")).toEqual([]);
    expect(await edge.keys("runtime/acme/")).toEqual([]);
    expect(await edge.keys("runtime/globex/")).toHaveLength(2);
    const names = async (as: string) =>
      ((await (await edge.ask(as, "/v1/skills")).json()) as { skills: { name: string }[] }).skills.map(
        ({ name }) => name,
      );
    expect(await names(other)).toEqual(["common", "put"]);
    expect(JSON.stringify(await list())).not.toContain("acme");
    expect(await remove()).toEqual({ name: "acme", removed: { tokens: 0, secrets: 0, channels: [], files: 0 } });
    // Made anew it is another one: nothing of before comes back.
    const { token: again } = await edge.token("acme", ["read"]);
    expect(await names(again)).toEqual(["common"]);
  });

  it("is the platform's alone", async () => {
    const { edge, token } = await scene();
    expect((await edge.ask(token, "/v1/tenants/globex", { method: "DELETE" })).status).toBe(403);
  });
});
