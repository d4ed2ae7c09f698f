import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { childrenPerDay, dollarsPerMonth, exampleFleet, PRICES } from "../../scripts/costs.ts";
import { ISOLATIONS } from "../../src/model/run.ts";

const DOC = readFileSync(new URL("../../docs/costs.md", import.meta.url), "utf8");

describe("docs/costs.md", () => {
  it("has the example's table as the model computes it", () => {
    const rows = ISOLATIONS.map((isolation) => {
      const fleet = exampleFleet(isolation);
      const dollars = dollarsPerMonth(fleet).toLocaleString("en-US", { minimumFractionDigits: 2 });
      return `| \`${isolation}\` | ${childrenPerDay(fleet).toLocaleString("en-US")} | ${dollars} |`;
    });
    const [, table] = /<!-- table: test\/unit\/costs\.test\.ts -->\n([\s\S]*?)\n<!-- end -->/.exec(DOC) ?? [];
    expect(table?.split("\n").slice(2)).toEqual(rows);
  });

  it("names the prices that the model counts with", () => {
    expect(DOC).toContain(`| beyond them | $${PRICES.each} each |`);
    expect(DOC).toContain(`| included | ${PRICES.included.toLocaleString("en-US")} a month`);
    expect(DOC).toContain(`× 30 − ${PRICES.included.toLocaleString("en-US")}) × ${PRICES.each}`);
  });
});

describe("childrenPerDay()", () => {
  const use = { tenants: 3, scripts: 2, actors: 5, runs: 4 };

  it("counts a child a run, an actor or a tenant, and never more than runs", () => {
    const of = (isolation: (typeof ISOLATIONS)[number], more: object = {}) =>
      childrenPerDay({ boxTenants: 0, boxes: 1, javascript: [{ ...use, isolation, ...more }] });
    expect([of("run"), of("actor"), of("actor", { runs: 40 }), of("tenant"), of("tenant", { runs: 0 })]).toEqual([
      24, 24, 30, 6, 0,
    ]);
  });

  it("counts boxes by tenant, whatever they run", () => {
    expect(childrenPerDay({ boxTenants: 7, boxes: 2, javascript: [] })).toBe(14);
  });
});

describe("dollarsPerMonth()", () => {
  it("is nothing as long as the plan includes all", () => {
    expect(dollarsPerMonth({ boxTenants: 33, boxes: 1, javascript: [] })).toBe(0);
    expect(dollarsPerMonth({ boxTenants: 34, boxes: 1, javascript: [] })).toBeCloseTo(0.04, 10);
  });
});
