import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { shareOf } from "../../../src/runners/share.ts";

const actor = "jwt:https://issuer.example#ada";

describe("shareOf()", () => {
  it("shares nothing where the operator says run, whoever acts", async () => {
    expect(await shareOf({ isolation: "acme", actor }, () => "run")).toBeUndefined();
  });

  it("shares among all of a tenant where the operator says so for that tenant", async () => {
    const only = (tenant: string) => (tenant === "acme" ? "tenant" : "run");
    expect(await shareOf({ isolation: "acme", actor }, only)).toBe("tenant");
    expect(await shareOf({ isolation: "acme" }, only)).toBe("tenant");
    expect(await shareOf({ isolation: "globex", actor }, only)).toBeUndefined();
  });

  it("shares among the runs of one verified actor, whose name it does not tell", async () => {
    const hash = createHash("sha256").update(actor).digest("hex");
    expect(await shareOf({ isolation: "acme", actor }, () => "actor")).toBe(`actor:sha256:${hash}`);
    expect(await shareOf({ isolation: "acme", actor: null }, () => "actor")).toBeUndefined();
    expect(await shareOf({ isolation: "acme" }, () => "actor")).toBeUndefined();
  });
});
