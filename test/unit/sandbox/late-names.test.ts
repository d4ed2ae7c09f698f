import util from "node:util";
import { describe, expect, it, vi } from "vitest";
import { lateNames } from "../../../src/sandbox/javascript/runtime/late-names.ts";
import { UTIL_NAMES } from "../../../src/sandbox/javascript/runtime/util-names.ts";

describe("lateNames()", () => {
  it("loads nothing for the names, and once for all values", () => {
    const load = vi.fn(() => ({ a: 1, b: 2 }));
    const object = lateNames(["a", "b", "c"], load);
    expect(Object.keys(object)).toEqual(["a", "b", "c"]);
    expect(load).not.toHaveBeenCalled();
    expect({ ...object }).toEqual({ a: 1, b: 2, c: undefined });
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("keeps what is assigned, and loads nothing for it", () => {
    const load = vi.fn(() => ({ a: 1 }));
    const object = lateNames(["a"], load);
    object.a = 2;
    object.a = 3;
    expect(object).toEqual({ a: 3 });
    expect(load).not.toHaveBeenCalled();
  });
});

describe("UTIL_NAMES", () => {
  it("are those of Node.js, but for parseArgs", () => {
    const { parseArgs, ...names } = util;
    expect([...UTIL_NAMES].sort()).toEqual(Object.keys(names).sort());
  });
});
