import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG, parseConfig } from "../../../src/model/config.ts";
import { failureOf } from "../../helpers/error-code.ts";

describe("parseConfig()", () => {
  it("fills in every default", () => {
    expect(parseConfig("{}")).toEqual(DEFAULT_CONFIG);
  });

  it("reads filters, tenants, protected names and public layers as they are written", () => {
    const filters = [
      { tenant: "*", layers: ["platform"], deny: ["internal-*", { metadata: { audience: "staff" } }] },
      { tenant: "acme", allow: ["a", { name: "b*" }], unless_scope: "admin" },
    ];
    const text = JSON.stringify({
      filters,
      tenants: { acme: { approval: { run_skill_script: "never" } }, beta: {} },
      protected: ["customer-*"],
      public: ["platform"],
    });
    expect(parseConfig(text)).toMatchObject({
      filters,
      tenants: new Map([
        ["acme", { approval: { run_skill_script: "never" } }],
        ["beta", { approval: { run_skill_script: null } }],
      ]),
      protected: ["customer-*"],
      public: ["platform"],
    });
  });

  it.each([
    [{ filter: [] }, '"filter"'],
    [{ filters: [{ tenant: "acme", deni: ["x"] }] }, '"filters.0" has unknown keys: "deni"'],
    [{ filters: [{ tenant: "No Tenant" }] }, '"filters.0.tenant"'],
    [{ filters: [{ deny: ["x"] }] }, '"filters.0.tenant": a string is needed'],
    [{ filters: [{ tenant: "*", unless_scope: "root" }] }, '"filters.0.unless_scope": one of "read"'],
    [{ filters: [{ tenant: "*", deny: [{ names: "x" }] }] }, '"filters.0.deny.0"'],
    [{ tenants: { runtime: {} } }, '"tenants.runtime"'],
  ])("names what is wrong: %j", async (value, words) => {
    const { code, message } = await failureOf(() => parseConfig(JSON.stringify(value)));
    expect([code, message]).toEqual(["config-invalid", expect.stringContaining(words)]);
  });
});
