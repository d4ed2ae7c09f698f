import { describe, expect, it } from "vitest";
import { parseRange } from "../../../src/http/range.ts";

describe("parseRange()", () => {
  it.each([
    ["bytes=0-4", { start: 0, end: 5 }],
    ["bytes=5-", { start: 5, end: 10 }],
    ["bytes=5-99", { start: 5, end: 10 }],
    ["bytes=-3", { start: 7, end: 10 }],
    ["bytes=-99", { start: 0, end: 10 }],
    ["bytes=9-9", { start: 9, end: 10 }],
    [" bytes=0-0 ", { start: 0, end: 1 }],
    [`bytes=0-${"9".repeat(40)}`, { start: 0, end: 10 }],
  ])("reads %j of ten bytes", (header, range) => {
    expect(parseRange(header, 10)).toEqual(range);
  });

  it.each([
    null,
    "",
    "bytes=-",
    "bytes=",
    "bytes=5-2",
    "bytes=0-1,3-4",
    "items=0-1",
    "bytes=a-b",
    "bytes=1.5-2",
    "0-4",
  ])("gives the whole file for %j", (header) => {
    expect(parseRange(header, 10)).toBeNull();
  });

  it.each([
    ["bytes=10-", 10],
    ["bytes=10-12", 10],
    ["bytes=-0", 10],
    ["bytes=0-", 0],
    ["bytes=-1", 0],
  ])("says that %j lies beyond the end of %d bytes", (header, size) => {
    expect(parseRange(header, size)).toBe("beyond");
  });
});
