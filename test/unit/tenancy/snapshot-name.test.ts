import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Digest } from "../../../src/model/digest.ts";
import { parseSnapshotName, snapshotName } from "../../../src/tenancy/snapshot-name.ts";
import { digestLike } from "../../helpers/golden.ts";

const digest = fc
  .array(fc.constantFrom(..."0123456789abcdef"), { minLength: 64, maxLength: 64 })
  .map((digits) => `sha256:${digits.join("")}` as Digest);

describe("snapshotName()", () => {
  it("names the layers in their order by 32 hex digits, or none", () => {
    const name = snapshotName([digestLike("a"), null, digestLike("0")]);
    expect(name).toBe(`v1.${"a".repeat(32)}.none.${"0".repeat(32)}`);
  });

  it("is safe in a header, a query and a path", () => {
    fc.assert(
      fc.property(fc.array(fc.option(digest), { minLength: 1, maxLength: 4 }), (bundles) => {
        expect(snapshotName(bundles)).toMatch(/^[a-z0-9.]+$/);
      }),
    );
  });
});

describe("parseSnapshotName()", () => {
  it("gives back what snapshotName() put in", () => {
    fc.assert(
      fc.property(fc.array(fc.option(digest), { minLength: 1, maxLength: 4 }), (bundles) => {
        const prefixes = bundles.map((bundle) => bundle?.slice("sha256:".length, "sha256:".length + 32) ?? null);
        expect(parseSnapshotName(snapshotName(bundles))).toEqual(prefixes);
      }),
    );
  });

  it.each([
    "",
    "v1",
    "v1.",
    "v2.none",
    "v1.NONE",
    "v1.none.",
    "v1.none\n",
    "none",
    `v1.${"a".repeat(31)}`,
    `v1.${"a".repeat(33)}`,
    `v1.${"A".repeat(32)}`,
    `sha256:${"a".repeat(64)}`,
    "__proto__",
  ])("is null for %j", (name) => {
    expect(parseSnapshotName(name)).toBeNull();
  });

  it("answers at once whatever it is given", () => {
    expect(parseSnapshotName(`v1${".none".repeat(100_000)}!`)).toBeNull();
  });
});
