import { describe, expect, it } from "vitest";
import { isChannelName, isTenantName } from "../../../src/model/layer.ts";
import { addressOf, type Grant, hashToken, hasScope, isScope, newToken, SCOPES } from "../../../src/model/token.ts";

const SECRET = "a".repeat(43);

describe("newToken()", () => {
  it("makes es_<tenant>_<secret> with 256 random bits, never the same twice", () => {
    const tokens = Array.from({ length: 100 }, () => newToken("acme"));
    expect(tokens.filter((token) => /^es_acme_[A-Za-z0-9_-]{43}$/.test(token))).toHaveLength(100);
    expect(new Set(tokens).size).toBe(100);
  });
});

describe("addressOf()", () => {
  it("gives the tenant of any token that newToken() makes", () => {
    const tenants = ["acme", "a", "a-1", "platform", "x".repeat(63)];
    expect(tenants.map((tenant) => addressOf(newToken(tenant)))).toEqual(tenants);
  });

  it.each([
    "",
    "es_acme",
    `es_acme_${SECRET}a`,
    `es_acme_${SECRET.slice(1)}`,
    `es__${SECRET}`,
    `es_ACME_${SECRET}`,
    `es_-acme_${SECRET}`,
    `es_runtime_${SECRET}`,
    `es_a/b_${SECRET}`,
    `es_${"x".repeat(64)}_${SECRET}`,
    `xx_acme_${SECRET}`,
    ` es_acme_${SECRET}`,
    `es_acme_${SECRET}\n`,
  ])("is null for %j", (token) => {
    expect(addressOf(token)).toBeNull();
  });
});

describe("hashToken()", () => {
  it("is the digest of the whole token", async () => {
    expect(await hashToken("abc")).toBe("sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  });
});

describe("hasScope()", () => {
  const grant = (...scopes: Grant["scopes"]): Grant => ({ token: "t", tenant: "acme", scopes, channel: "live" });

  it("gives what the token has, and all of it to admin", () => {
    expect(SCOPES.filter((scope) => hasScope(grant("read", "run"), scope))).toEqual(["read", "run"]);
    expect(SCOPES.filter((scope) => hasScope(grant("admin"), scope))).toEqual([...SCOPES]);
    expect(SCOPES.filter((scope) => hasScope(grant(), scope))).toEqual([]);
  });
});

describe("isScope()", () => {
  it("knows the six scopes and nothing else", () => {
    expect([...SCOPES, "Read", "", "constructor", "read "].filter(isScope)).toEqual([...SCOPES]);
  });
});

describe("isTenantName() and isChannelName()", () => {
  it("take slugs; a tenant has no name of a layer of its own", () => {
    const slugs = ["acme", "a", "a-1", "a".repeat(63)];
    const others = ["", "-a", "a-", "A", "a/b", "a.b", "a_b", "ä", "a".repeat(64), "a\n"];
    const names = [...slugs, ...others, "platform", "runtime"];
    expect(names.filter(isTenantName)).toEqual(slugs);
    expect(names.filter(isChannelName)).toEqual([...slugs, "platform", "runtime"]);
  });
});
