import { describe, expect, it } from "vitest";
import { fitsGlob, fitsMatcher, type SkillMatcher } from "../../../src/model/filter.ts";
import type { AgentSkill } from "../../../src/model/skill.ts";
import type { Grant } from "../../../src/model/token.ts";
import { AccessRules } from "../../../src/tenancy/access-rules.ts";
import { skeletonOf } from "../../../src/tenancy/skeleton.ts";

const ACME: Grant = { token: "t", tenant: "acme", scopes: ["read"], channel: "live" };

function skill(layer: string, name: string, metadata: Readonly<Record<string, string>> = {}): AgentSkill {
  return { layer, name, metadata } as AgentSkill;
}

function seen(rules: AccessRules, skills: readonly AgentSkill[], grant: Grant = ACME): string[] {
  return rules
    .viewOf(grant)
    .select(skills)
    .map((item) => `${item.layer}/${item.name}`);
}

describe("fitsGlob()", () => {
  it.each([
    ["a", "a", true],
    ["a", "ab", false],
    ["*", "", true],
    ["internal-*", "internal-ops", true],
    ["internal-*", "international", false],
    ["*-ops", "internal-ops", true],
    ["a*a", "a", false],
    ["a*b*c", "a-x-b-y-c", true],
    ["a*b*c", "acb", false],
    ["a.c", "abc", false],
    ["[a]*", "a", false],
  ])("%s and %s: %s", (glob, text, expected) => {
    expect(fitsGlob(glob, text)).toBe(expected);
  });

  it("takes no time to speak of for a glob that would stop a regular expression", () => {
    const begun = performance.now();
    expect(fitsGlob(`${"*a".repeat(50)}b`, "a".repeat(10_000))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(500);
  });
});

describe("fitsMatcher()", () => {
  it("needs name and every metadata glob to fit; a key that is not there fits none", () => {
    const one = skill("platform", "notes", { audience: "staff-eu" });
    const matchers: SkillMatcher[] = [
      { metadata: { audience: "staff-*" } },
      { name: "n*", metadata: { audience: "*" } },
      { name: "x*", metadata: { audience: "*" } },
      { metadata: { audience: "staff-*", team: "*" } },
      { metadata: { constructor: "*" } },
      {},
    ];
    expect(matchers.map((matcher) => fitsMatcher(matcher, one))).toEqual([true, true, false, false, false, true]);
  });
});

describe("AccessRules", () => {
  const list = [skill("platform", "a"), skill("acme", "a"), skill("runtime", "b")];

  it("gives the list itself where nothing is hidden from anybody", () => {
    expect(new AccessRules().viewOf(ACME).select(list)).toBe(list);
  });

  it("gives callers with the same rules the same key, and others another one", () => {
    const rules = new AccessRules([{ tenant: "acme", deny: ["a"], unless_scope: "admin" }]);
    const keys = [ACME, { ...ACME, token: "u" }, { ...ACME, scopes: ["admin"] } as const, { ...ACME, tenant: "x" }].map(
      (grant) => rules.viewOf(grant).key,
    );
    expect(keys).toEqual(["0", "0", "", ""]);
  });

  it("lets only the platform have a protected name, however it is spelled", () => {
    const rules = new AccessRules([], ["customer-*", "billing"]);
    const names = ["customer-risk", "сustomer-risk", "custorner-risk", "bi11ing", "BILLING", "bil\u200bling", "other"];
    const skills = [skill("platform", "customer-risk"), ...names.map((name) => skill("acme", name))];
    expect(seen(rules, skills)).toEqual(["platform/customer-risk", "acme/other"]);
    expect(names.map((name) => rules.isProtected(name))).toEqual([true, true, true, true, true, true, false]);
  });
});

describe("skeletonOf()", () => {
  it("is the same for what looks the same, and leaves `*` alone", () => {
    expect(new Set(["paypal", "раураl", "PAYPAL", "paypa1"].map(skeletonOf)).size).toBe(1);
    expect(skeletonOf("a*b")).toBe("a*b");
    expect(skeletonOf("paypal")).not.toBe(skeletonOf("payroll"));
  });
});
