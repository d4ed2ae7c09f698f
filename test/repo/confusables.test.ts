import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { confusablesOfNames } from "../../scripts/confusables.ts";
import { readConfusables } from "../../src/tenancy/confusables.ts";
import { skeletonOf } from "../../src/tenancy/skeleton.ts";

describe("src/tenancy/confusables.json", () => {
  it("is what scripts/confusables.ts makes of the package's table", () => {
    const written = readFileSync(new URL("../../src/tenancy/confusables.json", import.meta.url), "utf8");
    expect(readConfusables(JSON.parse(written))).toEqual(confusablesOfNames());
  });
});

describe("skeletonOf()", () => {
  it.each([
    ["refund", "r\u0435fund"], // Cyrillic е
    ["refund", "r\u200befund"],
    ["cool", "c00l"],
    ["paypal", "p\u0430yp\u0430l"],
  ])("takes %s and a name that looks like it for the same", (name, alike) => {
    expect(skeletonOf(alike)).toBe(skeletonOf(name));
  });

  it("keeps names apart that look different", () => {
    expect(skeletonOf("refund")).not.toBe(skeletonOf("refunds"));
  });
});
