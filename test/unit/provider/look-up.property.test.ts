import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lookUp } from "../../../src/provider/look-up.ts";

const part = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
  fc.constantFrom("a", "A", "b.md", "B.MD", "b", "..", ".", "é", "e\u0301", "ß", "SS", "i", "İ", "__proto__", "Σς"),
);
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const names = fc.uniqueArray(path, { minLength: 1, maxLength: 8 });

function found(wanted: string, listed: readonly string[]): string[] {
  return lookUp(
    wanted,
    listed.map((name) => ({ name, value: name })),
  ).map((hit) => hit.value);
}

describe("lookUp()", () => {
  it("finds every listed name by itself, and by nothing else beside it", () => {
    fc.assert(
      fc.property(names, (listed) => {
        expect(listed.map((name) => found(name, listed))).toEqual(listed.map((name) => [name]));
      }),
    );
  });

  it("never answers what is not listed, and nothing twice", () => {
    fc.assert(
      fc.property(names, fc.oneof(path, fc.string({ unit: "binary" })), (listed, wanted) => {
        const hits = found(wanted, listed);
        expect(hits.filter((hit) => !listed.includes(hit))).toEqual([]);
        expect(new Set(hits).size).toBe(hits.length);
      }),
    );
  });

  it("finds a name in upper case, decomposed, and behind ./, whenever one listed name alone is meant", () => {
    fc.assert(
      fc.property(path, (name) => {
        const spellings = [name.toUpperCase(), name.normalize("NFD"), `./${name}`, `/${name}`];
        expect(spellings.map((spelling) => found(spelling, [name]))).toEqual(spellings.map(() => [name]));
      }),
    );
  });
});
