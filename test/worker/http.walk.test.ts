import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS, openApiDocument } from "../../src/http/openapi.ts";
import { ROUTES } from "../../src/http/route-table.ts";
import { hashToken, newToken, SCOPES, type Scope } from "../../src/model/token.ts";
import { PrivateEdge } from "./support/private-edge.ts";

const FOREIGN = "ledger";
const ABSENT = "lodger";
/** Of the platform, but not for acme. */
const FILTERED = "lender";

const NO_DIGEST = `sha256:${"0".repeat(64)}`;

const BODIES: Readonly<Record<string, (name: string) => unknown>> = {
  "POST /v1/tool-calls": (name) => [{ id: "c", name: "load_skill", arguments: { skill_name: name } }],
  "PUT /v1/runtime/skills/:name": () => ({ files: [] }),
  "PUT /v1/secrets/:name": () => ({ value: "of-this-test-only" }),
  "POST /v1/tokens": () => ({ scopes: ["read"] }),
  "POST /v1/uploads": () => ({
    format: 1,
    channel: "live",
    index: '{"format":1,"skills":[]}\n',
    skills: [],
    dry_run: true,
  }),
  "POST /v1/deploys": () => ({ channel: "live", expected: null, bundle: NO_DIGEST }),
  "POST /v1/blocks": () => ({ digest: NO_DIGEST, reason: "of this test only" }),
  "POST /v1/blocks/spread": () => ({ after: "channel/platform/live" }),
  "POST /v1/approvals/:id": () => ({ decision: "approve" }),
  "POST /v1/tools/load_skill": (name) => ({ skill_name: name }),
  "POST /v1/tools/search_skills": (name) => ({ query: name }),
  "POST /v1/tools/read_skill_resource": (name) => ({ skill_name: name, resource_name: "references/salaries.md" }),
  "POST /v1/tools/run_skill_script": (name) => ({ skill_name: name, script_name: "scripts/pay.py" }),
};

const operations = Object.entries(OPERATIONS).map(([key, { scope }]) => ({ key, scope }));
const guarded = operations.filter(({ scope }) => scope !== null);
const scoped = guarded.filter(({ scope }) => SCOPES.some((known) => known === scope)) as {
  key: string;
  scope: Scope;
}[];

let edge: PrivateEdge;
let foreignApproval = "";

beforeAll(async () => {
  edge = new PrivateEdge("walk", {
    approval: { run_skill_script: "ask" },
    filters: [{ tenant: "acme", deny: [{ name: FILTERED }] }],
  });
  await edge.deploy("platform", [{ name: "common" }, { name: FILTERED, description: "MARK-FILTERED" }]);
  await edge.deploy("globex", [
    {
      name: FOREIGN,
      description: "MARK-GLOBEX",
      body: "MARK-GLOBEX\n",
      manifest: `---\nname: ${FOREIGN}\ndescription: MARK-GLOBEX\n---\nMARK-GLOBEX\n`,
      files: ["references/salaries.md", "scripts/pay.py"].map((path) => ({ path, content: "MARK-GLOBEX\n" })),
      scripts: ["scripts/pay.py"],
    },
  ]);
  const { token } = await edge.token("globex", ["read", "run"]);
  const body = JSON.stringify({ skill_name: FOREIGN, script_name: "scripts/pay.py" });
  const asked = await edge.ask(token, "/v1/tools/run_skill_script", { method: "POST", body });
  foreignApproval = ((await asked.json()) as { approval: { id: string } }).approval.id;
});

/** Sends an operation about a skill of a name (and an approval of an id). */
function send(token: string | null, key: string, name = ABSENT, id = "no-such-id"): Promise<Response> {
  const [method = "", route = ""] = key.split(" ");
  const path = route
    .replace(":name", name)
    .replace(":archive", `${name}.tar.gz`)
    .replace(":path", "references/salaries.md")
    .replace(/:(bundle|record|digest)/g, NO_DIGEST)
    .replace(":id", id);
  const body = BODIES[key]?.(name);
  return edge.ask(token, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
}

/** Everything of an answer that could tell something. */
async function told(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(
    ([name]) => !["x-request-id", "server-timing", "traceparent"].includes(name),
  );
  const text = (await response.text()).replace(/"request_id":"[0-9a-f-]{36}"/, "");
  return { status: response.status, headers, text };
}

describe("every route", () => {
  it("is described, and every description is a route's", () => {
    const routes = ROUTES.flatMap(({ path, on }) =>
      Object.keys(on).map((method) => `${method} ${path.replace(/\{.*?\}(?=\/|$)/g, "")}`),
    );
    expect(Object.keys(OPERATIONS).sort()).toEqual(routes.sort());
    expect(JSON.stringify(openApiDocument())).not.toContain("undefined");
  });

  it.each(operations)("answers without a token only if it is open: $key", async ({ key, scope }) => {
    const { status } = await send(null, key);
    expect(status === 401).toBe(scope !== null);
    expect(status).toBeLessThan(500);
  });

  it.each(guarded)("takes no unknown, revoked or expired token, and tells them not apart: $key", async ({ key }) => {
    const revoked = await edge.token("acme", ["admin"]);
    await edge.tenant("acme").revokeToken(revoked.id);
    const expired = newToken("acme");
    const record = { id: crypto.randomUUID(), scopes: ["admin"] as const, channel: "live" };
    const times = { created_at: "2020-01-01T00:00:00.000Z", expires_at: "2020-01-02T00:00:00.000Z" };
    await edge.tenant("acme").addToken({ ...record, ...times, hash: await hashToken(expired) });
    const answers: unknown[] = [];
    for (const token of [newToken("acme"), newToken("nobody"), revoked.token, expired, "nonsense"]) {
      answers.push(await told(await send(token, key)));
    }
    expect(answers[0]).toMatchObject({ status: 401 });
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it.each(scoped)("needs its scope and no other one will do: $key", async ({ key, scope }) => {
    const others = SCOPES.filter((other) => other !== scope && other !== "admin");
    // An approval may be read by the token that asked too: without `approve` a foreign one is simply not there.
    const isOwn = key === "GET /v1/approvals/:id";
    const { token } = await edge.token("acme", others);
    const response = await send(token, key);
    const { code } = (await response.json().catch(() => ({}))) as { code?: string };
    expect([response.status, code]).toEqual(isOwn ? [404, "approval-unknown"] : [403, "scope-missing"]);
  });

  it.each(guarded)("answers what is another tenant's exactly as what does not exist: $key", async ({ key }) => {
    const { token } = await edge.token("acme", ["admin"]);
    const foreign = await told(await send(token, key, FOREIGN, foreignApproval));
    const absent = await told(await send(token, key, ABSENT, "no-such-id"));
    expect(JSON.stringify(foreign)).not.toContain("MARK-GLOBEX");
    if (key !== "POST /v1/tokens") {
      const renamed = JSON.stringify(foreign).replaceAll(FOREIGN, ABSENT).replaceAll(foreignApproval, "no-such-id");
      expect(JSON.parse(renamed)).toEqual(absent);
    }
  });
});

describe("a cold isolate", () => {
  it.each(guarded)(
    "reads for what is foreign or filtered as often as for what does not exist: $key",
    async ({ key }) => {
      const { token } = await edge.token("acme", ["admin"]);
      const costOf = async (name: string, id: string) => {
        edge.forget();
        await (await send(token, key, name, id)).text();
        return { reads: edge.reads.toSorted(), asked: edge.asked };
      };
      const absent = await costOf(ABSENT, "no-such-id");
      expect(await costOf(FOREIGN, foreignApproval)).toEqual(absent);
      expect(await costOf(FILTERED, "no-such-id")).toEqual(absent);
    },
  );
});

describe("/c/<channel>/", () => {
  it("picks the channel where the token says nothing else", async () => {
    const { token } = await edge.token("acme", ["read"]);
    const names = async (path: string) => {
      const { skills }: { skills: { name: string }[] } = await (await edge.ask(token, path)).json();
      return skills.map((skill) => skill.name);
    };
    expect([await names("/v1/skills"), await names("/c/live/v1/skills"), await names("/c/preview/v1/skills")]).toEqual([
      ["common"],
      ["common"],
      [],
    ]);
    expect((await edge.ask(token, "/c/No%20Channel/v1/skills")).status).toBe(404);
  });
});

describe("/docs and /openapi.json", () => {
  it("need no token and no other host", async () => {
    const document: { openapi: string; paths: object } = await (await edge.ask(null, "/openapi.json")).json();
    expect([document.openapi, Object.keys(document.paths).length]).toEqual(["3.1.0", ROUTES.length]);
    const page = await edge.ask(null, "/docs");
    const html = await page.text();
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(html).toContain("<code>/v1/tools/load_skill</code>");
    expect(html.match(/(?:src|href)="(?!\/openapi\.json)[^"]*"|@import|url\(/g)).toBeNull();
  });
});
