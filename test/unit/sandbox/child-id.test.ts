import { describe, expect, it } from "vitest";
import type { Digest } from "../../../src/model/digest.ts";
import { boxChildId, type JavaScriptChild, javascriptChildId } from "../../../src/sandbox/child-id.ts";

const digest = (letter: string) => `sha256:${letter.repeat(64)}` as Digest;

const CHILD: JavaScriptChild = {
  version: "2026-11-01 0123456789abcdef",
  tenant: "acme",
  skill: "unit-converter",
  compiled: digest("a"),
  share: "tenant",
};

describe("javascriptChildId()", () => {
  it("is the same for the same child on any day, in any deploy, and tells no name", async () => {
    const id = await javascriptChildId(CHILD);
    expect(await javascriptChildId({ ...CHILD })).toBe(id);
    // Written down: what is served today is what was started yesterday.
    expect(id).toBe("edge-skills-javascript:4fa0600da94ad8f581025d696ae1eef436b3e9aa3c7accb8b36ae1a75f5cd6f2");
  });

  it.each<Partial<JavaScriptChild>>([
    { version: "2026-11-01 fedcba9876543210" },
    { tenant: "globex" },
    { skill: "other" },
    { compiled: digest("b") },
    { share: "actor:sha256:1" },
    { share: "actor:sha256:2" },
    // What stands beside each other is not what stands together.
    { tenant: "acmeunit-converter", skill: "" },
  ])("is another for another child: %j", async (change) => {
    expect(await javascriptChildId({ ...CHILD, ...change })).not.toBe(await javascriptChildId(CHILD));
  });
});

describe("boxChildId()", () => {
  it("is one for each tenant and version, and tells no name", async () => {
    const { version, tenant } = CHILD;
    const id = await boxChildId({ version, tenant });
    expect(await boxChildId(CHILD)).toBe(id);
    expect(id).toMatch(/^edge-skills-box:[0-9a-f]{64}$/);
    expect(await boxChildId({ version, tenant: "globex" })).not.toBe(id);
    expect(await boxChildId({ version: "other", tenant })).not.toBe(id);
  });
});
