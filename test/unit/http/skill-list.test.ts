import { describe, expect, it } from "vitest";
import { nextCursor, type Page, parsePage } from "../../../src/http/skill-list.ts";
import { codeOf } from "../../helpers/error-code.ts";

const FIRST: Page = { query: "", limit: 100, start: 0, bundle: null };

function pageOf(query: Record<string, string>): Page {
  return parsePage(new URLSearchParams(query));
}

describe("parsePage()", () => {
  it("begins at the first hundred without parameters", () => {
    expect(pageOf({})).toEqual(FIRST);
  });

  it("goes on where a cursor of nextCursor() says, on its snapshot", () => {
    const cursor = nextCursor("v1.none", { ...FIRST, limit: 10, start: 20 }, 31);
    expect(pageOf({ cursor: cursor ?? "", limit: "10", query: "units" })).toEqual({
      query: "units",
      limit: 10,
      start: 30,
      bundle: "v1.none",
    });
  });

  it.each(["0", "-1", "1001", "1.5", "ten", "", "NaN", "Infinity"])(
    "throws request-invalid for limit %j",
    async (limit) => {
      expect(await codeOf(() => pageOf({ limit }))).toBe("request-invalid");
    },
  );

  it.each([
    "",
    "x",
    "e30=",
    btoa("[]"),
    btoa('{"b":"v1","n":-1}'),
    btoa('{"b":"v1","n":1.5}'),
    btoa('{"b":1,"n":1}'),
    btoa("null"),
  ])("throws request-invalid for cursor %j", async (cursor) => {
    expect(await codeOf(() => pageOf({ cursor }))).toBe("request-invalid");
  });
});

describe("nextCursor()", () => {
  it("is null at the end", () => {
    const ends = [0, 99, 100].map((total) => nextCursor("v1.none", FIRST, total));
    expect(ends).toEqual([null, null, null]);
    expect(nextCursor("v1.none", FIRST, 101)).not.toBeNull();
  });
});
