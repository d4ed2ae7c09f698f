import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import type { JwtIssuer } from "../../src/model/config.ts";
import { createJwtTokens } from "../../src/tenancy/jwt-tokens.ts";
import { codeOf } from "../helpers/error-code.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let edges = 0;

async function scene(settings = {}, more = {}) {
  const edge = new PrivateEdge(`tokens-${edges++}`, settings, more);
  await edge.deploy("platform", [{ name: "common" }]);
  const admin = await edge.token("acme", ["admin"]);
  const send = (path: string, method: string, body?: unknown, as = admin.token) =>
    edge.ask(as, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return { edge, admin, send };
}

interface Made {
  readonly id: string;
  readonly token: string;
}

describe("/v1/tokens", () => {
  it("makes a token for the caller's tenant, lists it without its secret, revokes it", async () => {
    const { edge, admin, send } = await scene();
    const response = await send("/v1/tokens", "POST", { scopes: ["read"], channel: "live" });
    const made: Made = await response.json();
    expect([response.status, made]).toEqual([
      201,
      {
        id: expect.any(String),
        tenant: "acme",
        scopes: ["read"],
        channel: "live",
        created_at: expect.any(String),
        expires_at: null,
        token: expect.stringMatching(/^es_acme_[\w-]{43}$/),
      },
    ]);
    expect((await edge.ask(made.token, "/v1/skills")).status).toBe(200);
    const list: { tokens: { id: string }[] } = await (await send("/v1/tokens", "GET")).json();
    expect(list.tokens.map((token) => token.id).sort()).toEqual([admin.id, made.id].sort());
    expect(JSON.stringify(list)).not.toContain(made.token.slice(-20));
    expect((await send(`/v1/tokens/${made.id}`, "DELETE")).status).toBe(204);
    expect((await send(`/v1/tokens/${made.id}`, "DELETE")).status).toBe(404);
  });

  it("is made by no token that was revoked a moment ago, whoever still remembers it", async () => {
    const { edge, admin, send } = await scene();
    expect((await send("/v1/tokens", "GET")).status).toBe(200);
    await edge.tenant("acme").revokeToken(admin.id);
    expect((await send("/v1/tokens", "GET")).status).toBe(200);
    expect((await send("/v1/tokens", "POST", { scopes: ["admin"] })).status).toBe(401);
    expect(await edge.tenant("acme").listTokens()).toEqual([]);
  });

  it("ends with its time", async () => {
    const { edge, send } = await scene();
    const made: Made = await (await send("/v1/tokens", "POST", { scopes: ["read"], expires_in: 1 })).json();
    expect((await edge.ask(made.token, "/v1/skills")).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await edge.ask(made.token, "/v1/skills")).status).toBe(401);
  });

  it("needs admin, and reaches no other tenant's", async () => {
    const { edge, admin, send } = await scene();
    const others = await edge.token("globex", ["admin"]);
    const weak = await edge.token("acme", ["read", "run", "write", "approve", "deploy"]);
    for (const [path, method, body] of [
      ["/v1/tokens", "GET"],
      ["/v1/tokens", "POST", { scopes: ["admin"] }],
      [`/v1/tokens/${admin.id}`, "DELETE"],
    ] as const) {
      expect((await problemOf(await send(path, method, body, weak.token))).body).toMatchObject({
        code: "scope-missing",
      });
    }
    for (const [path, method, body] of [
      ["/v1/tokens?tenant=acme", "GET"],
      ["/v1/tokens?tenant=made-up", "GET"],
      ["/v1/tokens?tenant=", "POST", { scopes: ["read"] }],
      [`/v1/tokens/${admin.id}?tenant=acme`, "DELETE"],
      ["/v1/approvals?tenant=acme", "GET"],
      ["/v1/approvals?tenant=made-up", "GET"],
      ["/v1/approvals/x?tenant=acme", "GET"],
    ] as const) {
      expect(await problemOf(await send(path, method, body, others.token))).toEqual(
        problem(
          403,
          "scope-missing",
          "Token lacks a scope",
          'Cannot do this for another tenant: only a platform token with the scope "admin" may name one',
        ),
      );
    }
    expect((await send("/v1/tokens?tenant=globex", "GET", undefined, others.token)).status).toBe(200);
    expect((await send(`/v1/tokens/${admin.id}`, "DELETE", undefined, others.token)).status).toBe(404);
  });

  it("lets the platform's operator name a tenant, and nothing that cannot be one", async () => {
    const { edge, send } = await scene();
    const operator = await edge.token("platform", ["admin"]);
    const body = { scopes: ["read"] };
    expect(await (await send("/v1/tokens?tenant=acme", "POST", body, operator.token)).json()).toMatchObject({
      tenant: "acme",
    });
    const refused = await problemOf(await send("/v1/tokens?tenant=No", "POST", body, operator.token));
    expect(refused.body).toMatchObject({ status: 400, code: "request-invalid" });
  });

  it.each([
    {},
    { scopes: [] },
    { scopes: ["root"] },
    { scopes: ["read"], channel: "No" },
    { scopes: ["read"], expires_in: 0 },
  ])("refuses %j", async (body) => {
    const { send } = await scene();
    expect((await problemOf(await send("/v1/tokens", "POST", body))).body).toMatchObject({
      status: 400,
      code: "request-invalid",
    });
  });
});

describe("the limit on requests", () => {
  it("counts each token by itself, and says when to come back", async () => {
    const counted = new Map<string, number>();
    const RATE_LIMIT = {
      limit: async ({ key }: { key: string }) => {
        counted.set(key, (counted.get(key) ?? 0) + 1);
        return { success: (counted.get(key) ?? 0) <= 2 };
      },
    };
    const { edge, admin } = await scene({}, { RATE_LIMIT });
    const other = await edge.token("acme", ["read"]);
    const statuses = [];
    for (const token of [admin.token, admin.token, admin.token, other.token]) {
      statuses.push((await edge.ask(token, "/v1/skills")).status);
    }
    expect(statuses).toEqual([200, 200, 429, 200]);
    const refused = await edge.ask(admin.token, "/v1/skills");
    expect([refused.headers.get("Retry-After"), await problemOf(refused)]).toEqual([
      "10",
      problem(429, "rate-limited", "Too many requests", "Cannot answer: this token has asked too often"),
    ]);
  });
});

describe("createJwtTokens()", () => {
  const ISSUER: JwtIssuer = {
    issuer: "https://issuer.example",
    jwks_url: "https://issuer.example/jwks",
    audience: ["https://edge.test/mcp"],
    tenant_claim: "tenant",
    scope_claim: "scope",
  };
  const CLAIMS = { tenant: "acme", scope: "read run unheard-of", sub: "agent-7" };

  async function keys() {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    return {
      privateKey,
      read: createJwtTokens([ISSUER], () => async () => publicKey),
      jwk: await exportJWK(publicKey),
    };
  }

  type Signed = Awaited<ReturnType<typeof keys>>;

  function sign({ privateKey }: Signed, claims: object = CLAIMS, change: (jwt: SignJWT) => SignJWT = (jwt) => jwt) {
    const jwt = new SignJWT({ ...claims })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer(ISSUER.issuer)
      .setAudience(ISSUER.audience[0] ?? "")
      .setExpirationTime("5m");
    return change(jwt).sign(privateKey);
  }

  it("grants what the claims say", async () => {
    const signed = await keys();
    expect(await signed.read(await sign(signed))).toEqual({
      grant: { token: "jwt:https://issuer.example#agent-7", tenant: "acme", scopes: ["read", "run"], channel: "live" },
      until: expect.any(Number),
    });
  });

  it("takes nothing that is not exactly right", async () => {
    const signed = await keys();
    const good = await sign(signed);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const none = btoa(JSON.stringify({ alg: "none" })).replace(/=+$/, "");
    const wrong = [
      await sign(signed, CLAIMS, (jwt) => jwt.setAudience("https://other.example")),
      await sign(signed, CLAIMS, (jwt) => jwt.setIssuer("https://other.example")),
      await sign(signed, CLAIMS, (jwt) => jwt.setExpirationTime(Math.floor(Date.now() / 1_000) - 60)),
      await sign(signed, CLAIMS, (jwt) => jwt.setNotBefore("5m")),
      await sign(signed, { ...CLAIMS, tenant: "No Tenant" }),
      await sign(signed, { ...CLAIMS, tenant: ["acme"] }),
      await sign(signed, { scope: "admin", sub: "x" }),
      await sign(signed, { tenant: "acme", scope: "read" }),
      await sign(await keys()),
      await new SignJWT({ ...CLAIMS, exp: 2_000_000_000, iss: ISSUER.issuer, aud: [...ISSUER.audience] })
        .setProtectedHeader({ alg: "HS256" })
        .sign(new TextEncoder().encode(JSON.stringify(signed.jwk))),
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.replace(/^./, (c) => (c === "A" ? "B" : "A"))}`,
      "a.b.c",
      "nonsense",
    ];
    expect(await Promise.all(wrong.map((token) => signed.read(token)))).toEqual(wrong.map(() => null));
  });

  it("does not call a token wrong because its keys cannot be had", async () => {
    const signed = await keys();
    const read = createJwtTokens([ISSUER], () => async () => {
      throw new TypeError("no network");
    });
    expect(await codeOf(async () => read(await sign(signed)))).toBe("storage-unavailable");
  });
});

describe("the OAuth resource side", () => {
  const JWT = [{ issuer: "https://issuer.example", audience: "https://edge.test/mcp" }];

  it("tells where tokens come from, in metadata and with every refusal", async () => {
    const { edge } = await scene({ jwt: JWT });
    const metadata = await edge.ask(null, "/.well-known/oauth-protected-resource/mcp");
    expect(await metadata.json()).toEqual({
      resource: "https://edge.test/mcp",
      authorization_servers: ["https://issuer.example"],
      bearer_methods_supported: ["header"],
      scopes_supported: ["read", "run", "write", "approve", "deploy"],
      resource_name: "edge-skills",
    });
    const address = 'resource_metadata="https://edge.test/.well-known/oauth-protected-resource/mcp"';
    const refusals = [await edge.ask(null, "/mcp", { method: "POST" }), await edge.ask("nonsense", "/v1/skills")];
    expect(refusals.map((response) => response.headers.get("WWW-Authenticate"))).toEqual([
      `Bearer ${address}`,
      `Bearer error="invalid_token", ${address}`,
    ]);
  });

  it("has none where no issuer is set up", async () => {
    const { edge } = await scene();
    expect((await edge.ask(null, "/.well-known/oauth-protected-resource")).status).toBe(404);
  });
});
