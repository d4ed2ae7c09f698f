import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { createKvStore } from "../../src/sources/kv-store.ts";
import { createR2Store } from "../../src/sources/r2-store.ts";
import { createTieredStore } from "../../src/sources/tiered-store.ts";
import { bareApp } from "./support/app.ts";
import { type Asking, ask, call, createToken, deploySkills, tenancyOver } from "./support/edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let token = "";
let other = "";

beforeAll(async () => {
  await deploySkills("platform", [{ name: "common", files: [{ path: "references/a.md", content: "A\n" }] }]);
  await deploySkills("acme", [{ name: "acme-own" }]);
  await deploySkills("beta", [
    {
      name: "beta-secrets",
      aliases: ["Beta Alias"],
      body: "MARK-BETA\n",
      files: [{ path: "keys.md", content: "MARK-BETA\n" }],
    },
  ]);
  token = await createToken("acme");
  other = await createToken("beta");
});

/** All of an answer but its request id, to be compared. */
async function wholeAnswer(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => name !== "x-request-id" && name !== "server-timing");
  const text = (await response.text()).replace(/"request_id":"[0-9a-f-]{36}"/, "");
  return { status: response.status, headers, text };
}

describe("a path that tries to leave its skill", () => {
  it.each([
    "/v1/skills/common/files/../../../etc/passwd",
    "/v1/skills/common/files/%2e%2e/%2e%2e/SKILL.md",
    "/v1/skills/common/files/..%2F..%2Fbeta-secrets%2Fkeys.md",
    "/v1/skills/common/files/..%5C..%5Cbeta-secrets%5Ckeys.md",
    "/v1/skills/common/files/references%2F..%2Freferences%2Fa.md",
    "/v1/skills/common/files/%00",
    "/v1/skills/common/files/references/a.md%00.png",
    "/v1/skills/common/files/%252e%252e%252fSKILL.md",
    "/v1/skills/common/files/%E0%A4%A",
    "/v1/skills/..%2Fbeta%2Fbeta-secrets",
    "/v1/skills/beta%2Fbeta-secrets",
    "/v1/skills/%00",
    "/v1/skills/common%00",
    "/v1/skills/__proto__",
    "/v1/skills/constructor/files/name",
  ])("finds nothing: %s", async (path) => {
    const { status, type } = await problemOf(await ask(token, path));
    expect([status, type]).toEqual([404, "application/problem+json"]);
  });

  it.each(["../common", "beta/beta-secrets", "../../beta/beta-secrets", "beta-secrets\u0000", "%62eta-secrets"])(
    "finds no skill by tool call: %j",
    async (skill_name) => {
      const answer = await (await call(token, "load_skill", { skill_name })).json();
      expect(answer).toMatchObject({ is_error: true, error: { code: "skill-not-found" } });
    },
  );

  it("puts no path into a header as it is", async () => {
    const response = await ask(token, "/v1/skills/common/files/x%0d%0aSet-Cookie:%20a=b");
    expect([response.status, response.headers.get("Set-Cookie")]).toEqual([404, null]);
  });
});

describe("another tenant's skill", () => {
  const absent = "zeta-secrets";
  const present = "beta-secrets";
  const doors: { what: string; send: (name: string, asking: Asking) => Promise<Response> }[] = [
    { what: "GET skill", send: (name, asking) => ask(token, `/v1/skills/${name}`, asking) },
    { what: "GET file", send: (name, asking) => ask(token, `/v1/skills/${name}/files/keys.md`, asking) },
    { what: "HEAD file", send: (name) => ask(token, `/v1/skills/${name}/files/keys.md`, { method: "HEAD" }) },
    { what: "list by query", send: (name, asking) => ask(token, `/v1/skills?query=${name.slice(0, 4)}`, asking) },
    { what: "load_skill", send: (name, asking) => call(token, "load_skill", { skill_name: name }, asking) },
    {
      what: "search_skills",
      send: (name, asking) => call(token, "search_skills", { query: name.slice(0, 4) }, asking),
    },
    {
      what: "read_skill_resource",
      send: (name, asking) =>
        call(token, "read_skill_resource", { skill_name: name, resource_name: "keys.md" }, asking),
    },
    {
      what: "run_skill_script",
      send: (name, asking) => call(token, "run_skill_script", { skill_name: name, script_name: "x.py" }, asking),
    },
  ];

  it("is there for its own tenant", async () => {
    expect(await (await ask(other, "/v1/skills/beta-secrets/files/keys.md")).text()).toBe("MARK-BETA\n");
  });

  it.each(doors)("is answered exactly like one that does not exist: $what", async ({ send }) => {
    const tag = (await ask(other, "/v1/skills/beta-secrets/files/keys.md")).headers.get("ETag") ?? "";
    for (const asking of [
      {},
      { headers: { "If-None-Match": tag } },
      { headers: { "If-None-Match": "*", Range: "bytes=0-1" } },
    ]) {
      const [theirs, none] = [
        await wholeAnswer(await send(present, asking)),
        await wholeAnswer(await send(absent, asking)),
      ];
      const renamed = JSON.parse(JSON.stringify(theirs).replaceAll("beta", "zeta"));
      expect(renamed).toEqual(none);
      expect(JSON.stringify(theirs)).not.toContain("MARK-BETA");
    }
  });

  it.each(["Beta Alias", "beta-secret", "secrets"])("is no candidate for %j", async (skill_name) => {
    const answer = await (await call(token, "load_skill", { skill_name })).json();
    expect(answer).toMatchObject({
      error: { code: "skill-not-found", candidates: expect.not.arrayContaining([present]) },
    });
  });

  it("is not reached by its tenant's snapshot name or cursor", async () => {
    const bundle = (await ask(other, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
    const cursor = encodeURIComponent(btoa(JSON.stringify({ b: bundle, n: 0 })));
    const madeUp = encodeURIComponent(
      btoa(JSON.stringify({ b: bundle.replace(/.$/, (c) => (c === "0" ? "1" : "0")), n: 0 })),
    );
    const answers = [
      await ask(token, "/v1/skills", { headers: { "X-Skills-Bundle": bundle } }),
      await ask(token, `/v1/skills?cursor=${cursor}`),
      await ask(token, `/v1/skills?cursor=${madeUp}`),
    ];
    const [first, ...rest] = await Promise.all(answers.map(wholeAnswer));
    expect(first).toMatchObject({ status: 409 });
    expect(rest).toEqual([first, first]);
  });
});

describe("an answer", () => {
  it("may be kept by no shared cache, whatever it is", async () => {
    const answers = [
      await ask(token, "/v1/context"),
      await ask(token, "/v1/skills"),
      await ask(token, "/v1/skills/common/files/references/a.md"),
      await call(token, "load_skill", { skill_name: "common" }),
      await ask(token, "/v1/skills/nothing"),
      await ask(null, "/v1/skills"),
    ];
    const rules = new Set(answers.map((response) => response.headers.get("Cache-Control")));
    expect(rules).toEqual(new Set(["private, no-cache", "private, no-store"]));
  });

  it("does not depend on labels that anybody can send", async () => {
    const labelled = await ask(token, "/v1/skills", {
      headers: {
        "X-Skills-Agent": "admin",
        "X-Skills-Session": "s",
        "X-Skills-Actor": "root",
        "X-Skills-Tenant": "beta",
      },
    });
    expect(await wholeAnswer(labelled)).toEqual(await wholeAnswer(await ask(token, "/v1/skills")));
  });
});

describe("a local edge", () => {
  const localApp = () =>
    bareApp(tenancyOver(createTieredStore(createKvStore(env.SKILLS_KV), createR2Store(env.SKILLS_R2))), {
      hosts: "loopback",
      provider: { scripts: "refuse" },
    });

  it("answers this machine, and no page that reaches it under another name", async () => {
    const { app, logged } = localApp();
    const send = (headers: Record<string, string>) => app.request("http://localhost:8787/healthz", { headers });
    expect((await send({ Host: "localhost:8787", Origin: "http://127.0.0.1:3000" })).status).toBe(200);
    for (const headers of [{ Host: "evil.example" }, { Host: "localhost", Origin: "https://evil.example" }]) {
      expect(await problemOf(await send(headers))).toEqual(
        problem(
          400,
          "request-invalid",
          "Request is not valid",
          "Cannot answer: this edge is local, and the Host or Origin header names another machine",
        ),
      );
    }
    expect(logged).toEqual([]);
  });

  it("refuses to run where the operator asks for a person and there is none to ask", async () => {
    const response = await localApp().app.request("http://localhost/v1/tools/run_skill_script", {
      method: "POST",
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify({ skill_name: "common", script_name: "x" }),
    });
    expect(await response.json()).toMatchObject({
      is_error: true,
      error: { code: "script-refused", message: "Running scripts is not enabled here" },
    });
  });
});
