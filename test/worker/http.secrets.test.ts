import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { SecretBox } from "../../src/tenancy/secret-box.ts";
import { Secrets } from "../../src/tenancy/secrets.ts";
import { TenantBook } from "../../src/tenancy/tenant-book.ts";
import type { TenantObject } from "../../src/tenancy/tenant-object.ts";
import { codeOf } from "../helpers/error-code.ts";
import { PrivateEdge } from "./support/private-edge.ts";
import { problem, problemOf } from "./support/problem.ts";

const KEY = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
const OTHER_KEY = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));
const VALUE = "s3cr3t-value-of-this-test";

let edges = 0;

async function scene(more: object = { EDGE_SKILLS_KEY: KEY }) {
  const edge = new PrivateEdge(`secrets-${edges++}`, {}, more);
  const tokens = {
    acme: (await edge.token("acme", ["admin"])).token,
    globex: (await edge.token("globex", ["admin"])).token,
    platform: (await edge.token("platform", ["admin"])).token,
    weak: (await edge.token("acme", ["read", "run", "write", "approve", "deploy"])).token,
  };
  const send = (as: keyof typeof tokens, method: string, path: string, body?: unknown) =>
    edge.ask(tokens[as], path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const names = async (as: keyof typeof tokens, query = "") => {
    const { secrets } = (await (await send(as, "GET", `/v1/secrets${query}`)).json()) as {
      secrets: { name: string }[];
    };
    return secrets.map(({ name }) => name);
  };
  const secrets = new Secrets(new TenantBook(edge.env.TENANTS), new SecretBox(KEY));
  return { edge, send, names, secrets };
}

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

async function refusalIn(response: Response): Promise<Problem> {
  return (await problemOf(response)).body as Problem;
}

/** Everything a tenant's Durable Object stores. */
function dump(edge: PrivateEdge, tenant: string): Promise<string> {
  return runInDurableObject(edge.tenant(tenant) as DurableObjectStub<TenantObject>, (_object, state) =>
    JSON.stringify(
      state.storage.sql
        .exec<{ name: string }>(
          "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
        )
        .toArray()
        .map(({ name }) => state.storage.sql.exec(`SELECT * FROM ${name}`).toArray()),
    ),
  );
}

describe("/v1/secrets", () => {
  it("keeps a secret for the caller's tenant, lists it by name and date, forgets it", async () => {
    const { edge, send, secrets } = await scene();
    const put = await send("acme", "PUT", "/v1/secrets/github", { value: VALUE });
    expect([put.status, await put.text(), put.headers.get("Cache-Control")]).toEqual([204, "", "private, no-store"]);
    const list = await (await send("acme", "GET", "/v1/secrets")).json();
    const put_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(list).toEqual({ secrets: [{ name: "github", put_at, tenant: "acme" }] });
    expect(await secrets.find("acme", "github")).toBe(VALUE);
    expect(await dump(edge, "acme")).not.toContain(VALUE);
    expect((await send("acme", "DELETE", "/v1/secrets/github")).status).toBe(204);
    expect(await problemOf(await send("acme", "DELETE", "/v1/secrets/github"))).toEqual(
      problem(404, "secret-unknown", "Secret is not known", "Cannot remove this secret: there is none of this name"),
    );
    expect(await secrets.find("acme", "github")).toBeNull();
  });

  it("replaces one of its name at once", async () => {
    const { send, secrets, names } = await scene();
    for (const value of ["first-value", "second-value"]) {
      await send("acme", "PUT", "/v1/secrets/github", { value });
      expect(await secrets.find("acme", "github")).toBe(value);
    }
    expect(await names("acme")).toEqual(["github"]);
  });

  it("needs admin, and reaches no other tenant's; the platform's operator may name one", async () => {
    const { send, names } = await scene();
    await send("acme", "PUT", "/v1/secrets/github", { value: VALUE });
    for (const [method, path] of [
      ["GET", "/v1/secrets"],
      ["PUT", "/v1/secrets/x"],
      ["DELETE", "/v1/secrets/github"],
    ] as const) {
      const body = method === "PUT" ? { value: "x" } : undefined;
      expect((await refusalIn(await send("weak", method, path, body))).code).toBe("scope-missing");
      expect((await refusalIn(await send("globex", method, `${path}?tenant=acme`, body))).code).toBe("scope-missing");
    }
    expect((await send("globex", "DELETE", "/v1/secrets/github")).status).toBe(404);
    expect(await names("globex")).toEqual([]);
    expect((await send("platform", "PUT", "/v1/secrets/more?tenant=acme", { value: VALUE })).status).toBe(204);
    expect([await names("acme"), await names("platform", "?tenant=acme"), await names("platform")]).toEqual([
      ["github", "more"],
      ["github", "more"],
      [],
    ]);
  });

  it.each([
    ["1st", { value: VALUE }],
    ["a b", { value: VALUE }],
    ["a".repeat(65), { value: VALUE }],
    ["__proto__", { value: VALUE }],
    ["ok", {}],
    ["ok", { value: "" }],
    ["ok", { value: 7 }],
    ["ok", { value: "line\nbreak" }],
    ["ok", { value: " blank" }],
    ["ok", { value: "ä" }],
    ["ok", { value: "x".repeat(8_193) }],
  ])("refuses %s with %j, and repeats no value", async (name, body) => {
    const { send, names } = await scene();
    const response = await send("acme", "PUT", `/v1/secrets/${encodeURIComponent(name)}`, body);
    const text = await response.text();
    expect([response.status, JSON.parse(text).code, await names("acme")]).toEqual([400, "request-invalid", []]);
    expect(text).not.toContain(VALUE);
  });

  it("takes secrets as long as they may be, and no larger body", async () => {
    const { send, secrets } = await scene();
    const value = "x".repeat(8_192);
    expect((await send("acme", "PUT", "/v1/secrets/long", { value })).status).toBe(204);
    expect(await secrets.find("acme", "long")).toBe(value);
    const large = await send("acme", "PUT", "/v1/secrets/long", { value, more: "x".repeat(60_000) });
    expect((await refusalIn(large)).code).toBe("body-too-large");
  });

  it("keeps a hundred, and replaces one of them still", async () => {
    const { send } = await scene();
    const status = async (name: string) => (await send("acme", "PUT", `/v1/secrets/${name}`, { value: VALUE })).status;
    const all = await Promise.all(Array.from({ length: 100 }, (_, i) => status(`n${i}`)));
    expect(new Set(all)).toEqual(new Set([204]));
    expect([await status("n101"), await status("n7")]).toEqual([409, 204]);
  });

  it.each([
    ["is not set", {}],
    ["is not 32 bytes in base64", { EDGE_SKILLS_KEY: btoa("short") }],
    ["is not 32 bytes in base64", { EDGE_SKILLS_KEY: "no base64!" }],
  ])("tells how to make a key where EDGE_SKILLS_KEY %s", async (words, more) => {
    const { send } = await scene(more);
    const { status, code, detail } = await refusalIn(await send("acme", "PUT", "/v1/secrets/github", { value: VALUE }));
    expect([status, code, detail]).toEqual([
      409,
      "secret-key-missing",
      `Cannot keep secrets: EDGE_SKILLS_KEY ${words}. Make one: openssl rand -base64 32 | npx wrangler secret put EDGE_SKILLS_KEY`,
    ]);
  });
});

describe("a secret", () => {
  it("is the tenant's own, else the platform's, never another tenant's", async () => {
    const { secrets } = await scene();
    await secrets.put("platform", "api", "of-the-platform");
    await secrets.put("acme", "api", "of-acme");
    await secrets.put("acme", "own", "only-of-acme");
    const found = [
      secrets.find("acme", "api"),
      secrets.find("globex", "api"),
      secrets.find("platform", "api"),
      secrets.find("acme", "own"),
      secrets.find("globex", "own"),
      secrets.find("acme", "toString"),
    ];
    expect(await Promise.all(found)).toEqual([
      "of-acme",
      "of-the-platform",
      "of-the-platform",
      "only-of-acme",
      null,
      null,
    ]);
  });

  it("opens for no other tenant, under no other name, with no other key, and not when a bit of it changed", async () => {
    const box = new SecretBox(KEY);
    const sealed = await box.seal("acme", "api", VALUE);
    expect(await box.open("acme", "api", sealed)).toBe(VALUE);
    expect(await box.seal("acme", "api", VALUE)).not.toBe(sealed);
    const last = sealed.charCodeAt(sealed.length - 4);
    const changed = `${sealed.slice(0, -4)}${String.fromCharCode(last === 65 ? 66 : 65)}${sealed.slice(-3)}`;
    const codes = [
      codeOf(() => box.open("globex", "api", sealed)),
      codeOf(() => box.open("acme", "other", sealed)),
      codeOf(() => new SecretBox(OTHER_KEY).open("acme", "api", sealed)),
      codeOf(() => box.open("acme", "api", changed)),
      codeOf(() => box.open("acme", "api", sealed.replace("v1", "v2"))),
      codeOf(() => box.open("acme", "api", "v1")),
    ];
    expect(await Promise.all(codes)).toEqual(Array(6).fill("secret-unreadable"));
  });

  it("sealed with an earlier key opens while that key is still named; the first one seals", async () => {
    const old = await new SecretBox(OTHER_KEY).seal("acme", "api", VALUE);
    const both = new SecretBox(`${KEY} ${OTHER_KEY}\n`);
    expect(await both.open("acme", "api", old)).toBe(VALUE);
    expect(await new SecretBox(KEY).open("acme", "api", await both.seal("acme", "api", VALUE))).toBe(VALUE);
  });

  it("of another tenant that was moved into a store stays shut", async () => {
    const { edge, secrets } = await scene();
    await secrets.put("acme", "api", VALUE);
    const sealed = await edge.tenant("acme").findSecret("api");
    await edge.tenant("globex").putSecret({ name: "api", sealed: sealed ?? "", put_at: "2026-11-30T00:00:00.000Z" });
    expect(await codeOf(() => secrets.find("globex", "api"))).toBe("secret-unreadable");
  });

  it("that nobody asks about leaves nothing in a tenant's store", async () => {
    const { edge, secrets } = await scene();
    expect([
      await secrets.find("made-up", "api"),
      await secrets.list("made-up"),
      await secrets.remove("made-up", "x"),
    ]).toEqual([null, [], false]);
    expect(await dump(edge, "made-up")).toBe("[]");
  });
});
