import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { hashToken, newToken, type TokenRecord } from "../../src/model/token.ts";
import { tenantObject } from "./support/edge.ts";

async function recordOf(token: string, facts: Partial<TokenRecord> = {}): Promise<TokenRecord> {
  const hash = await hashToken(token);
  const created_at = "2026-11-30T00:00:00.000Z";
  return { id: crypto.randomUUID(), hash, scopes: ["read", "run"], channel: "live", created_at, ...facts };
}

/** Names of the tables that a tenant's store has. */
function tablesOf(tenant: string): Promise<string[]> {
  return runInDurableObject(tenantObject(tenant), (_, state) =>
    state.storage.sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .toArray()
      .map((row) => row.name),
  );
}

describe("TenantObject", () => {
  it("finds a token by its hash, whole, and no other", async () => {
    const tenant = tenantObject("finder");
    const record = await recordOf(newToken("finder"), { scopes: ["admin"], channel: "preview" });
    await tenant.addToken(record);
    expect(await tenant.findToken(record.hash)).toEqual(record);
    expect(await tenant.findToken(await hashToken(newToken("finder")))).toBeNull();
  });

  it("lists tokens, the oldest first, and keeps nothing of a token but its hash", async () => {
    const tenant = tenantObject("lister");
    const tokens = ["2026-03-01", "2026-01-01", "2026-02-01"].map((created_at) => ({
      created_at,
      token: newToken("lister"),
    }));
    const records = await Promise.all(tokens.map(({ token, created_at }) => recordOf(token, { created_at })));
    for (const record of records) {
      await tenant.addToken(record);
    }
    const listed = await tenant.listTokens();
    expect(listed).toEqual(records.toSorted((a, b) => (a.created_at < b.created_at ? -1 : 1)));
    expect(tokens.filter(({ token }) => JSON.stringify(listed).includes(token))).toEqual([]);
  });

  it("forgets a revoked token, tells whether there was one, and leaves the others", async () => {
    const tenant = tenantObject("revoker");
    const [gone, stays] = [await recordOf(newToken("revoker")), await recordOf(newToken("revoker"))];
    await tenant.addToken(gone);
    await tenant.addToken(stays);
    expect([await tenant.revokeToken(gone.id), await tenant.revokeToken(gone.id)]).toEqual([true, false]);
    expect([await tenant.findToken(gone.hash), await tenant.listTokens()]).toEqual([null, [stays]]);
  });

  it("takes no hash and no id twice", async () => {
    await runInDurableObject(tenantObject("twice"), async (tenant) => {
      const record = await recordOf(newToken("twice"));
      tenant.addToken(record);
      const other = await recordOf(newToken("twice"));
      expect(() => tenant.addToken({ ...other, id: record.id })).toThrow(/UNIQUE/);
      expect(() => tenant.addToken({ ...other, hash: record.hash })).toThrow(/UNIQUE/);
      expect(tenant.listTokens()).toEqual([record]);
    });
  });

  it("keeps tenants apart: a token of one is not found in another", async () => {
    const record = await recordOf(newToken("mine"));
    await tenantObject("mine").addToken(record);
    expect(await tenantObject("theirs").findToken(record.hash)).toBeNull();
  });

  it("writes nothing when it is asked about a made-up tenant", async () => {
    const tenant = tenantObject("made-up");
    const asked = [
      await tenant.findToken(await hashToken("x")),
      await tenant.listTokens(),
      await tenant.revokeToken("x"),
    ];
    expect([asked, await tablesOf("made-up")]).toEqual([[null, [], false], []]);
    await tenant.addToken(await recordOf(newToken("made-up")));
    expect(await tablesOf("made-up")).toEqual(["tokens"]);
  });

  it("takes text that looks like SQL as text", async () => {
    const tenant = tenantObject("quoter");
    const record = await recordOf(newToken("quoter"), { id: "'; DROP TABLE tokens; --", channel: "x' OR '1'='1" });
    await tenant.addToken(record);
    expect(await tenant.listTokens()).toEqual([record]);
    expect([await tenant.revokeToken("' OR 1=1 --"), await tenant.revokeToken(record.id)]).toEqual([false, true]);
  });
});
