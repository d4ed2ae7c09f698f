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
        ["acme", { approval: { run_skill_script: "never" }, isolation: null }],
        ["beta", { approval: { run_skill_script: null }, isolation: null }],
      ]),
      protected: ["customer-*"],
      public: ["platform"],
    });
  });

  it("reads where scripts run", () => {
    const far = { url: "https://functions.example.com/run", secret: "FAR_KEY" };
    const text = JSON.stringify({
      runners: {
        functions: { far },
        skills: { "video-tools": "far", "old-tools": "none" },
        runtimes: { python: "far", bash: null },
        default: "sandbox",
      },
    });
    expect(parseConfig(text).runners).toEqual({
      functions: { far: { ...far, sends: "skill" } },
      skills: { "video-tools": "far", "old-tools": null },
      runtimes: { python: "far", bash: null },
      otherwise: "sandbox",
    });
  });

  it("reads what JavaScript runs share an isolate with, for all and for one tenant", () => {
    const text = JSON.stringify({ isolation: "actor", tenants: { acme: { isolation: "tenant" }, beta: {} } });
    const { isolation, tenants } = parseConfig(text);
    expect([isolation, tenants.get("acme")?.isolation, tenants.get("beta")?.isolation]).toEqual([
      "actor",
      "tenant",
      null,
    ]);
  });

  it.each([
    [{ isolation: "session" }, '"isolation": one of "run"'],
    [{ filter: [] }, '"filter"'],
    [{ filters: [{ tenant: "acme", deni: ["x"] }] }, '"filters.0" has unknown keys: "deni"'],
    [{ filters: [{ tenant: "No Tenant" }] }, '"filters.0.tenant"'],
    [{ filters: [{ deny: ["x"] }] }, '"filters.0.tenant": a string is needed'],
    [{ filters: [{ tenant: "*", unless_scope: "root" }] }, '"filters.0.unless_scope": one of "read"'],
    [{ filters: [{ tenant: "*", deny: [{ names: "x" }] }] }, '"filters.0.deny.0"'],
    [{ runners: { skills: { tools: "far" } } }, '"runners.skills.tools": there is no function "far"'],
    [{ runners: { default: "constructor" } }, '"runners.default": there is no function "constructor"'],
    [{ runners: { runtimes: { ruby: "sandbox" } } }, '"runners.runtimes" has unknown keys: "ruby"'],
    [
      { runners: { functions: { sandbox: { url: "https://a.example/", secret: "k" } } } },
      '"runners.functions.sandbox"',
    ],
    [{ runners: { functions: { far: { url: "nowhere", secret: "k" } } } }, '"runners.functions.far.url"'],
    [{ runners: { functions: { far: { url: "https://a.example/" } } } }, '"runners.functions.far.secret"'],
    [{ tenants: { runtime: {} } }, '"tenants.runtime"'],
  ])("names what is wrong: %j", async (value, words) => {
    const { code, message } = await failureOf(() => parseConfig(JSON.stringify(value)));
    expect([code, message]).toEqual(["config-invalid", expect.stringContaining(words)]);
  });
});
