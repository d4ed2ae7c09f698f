import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/source-files.ts";

const text = readFileSync(`${REPOSITORY}docs/parity.md`, "utf8");
const rows = text.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("|--"));

describe("docs/parity.md", () => {
  it("names tests that are there", () => {
    const named = [...text.matchAll(/`([a-z/-]+\.(?:test\.)?ts)`/g)].map(([, path]) => path ?? "");
    expect(named.length).toBeGreaterThan(50);
    expect([...new Set(named)].filter((path) => !existsSync(`${REPOSITORY}test/${path}`))).toEqual([]);
  });

  it("has every row of the checklist, and cells for every column", () => {
    const numbers = rows.flatMap((row) => /^\| (\d+) /.exec(row)?.[1] ?? []);
    expect(numbers).toEqual(Array.from({ length: 15 }, (_, i) => String(i + 1)));
    const widths = new Set(rows.map((row) => row.split("|").length - 2));
    expect([...widths].sort()).toEqual([2, 3, 4]);
  });
});
