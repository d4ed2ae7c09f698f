/** Paths within a skill. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  extensionOf,
  foldPath,
  isSafePath,
  portabilityProblem,
  resolvePath,
  travelProblem,
} from "../../../src/model/path.ts";

const anyPath = fc.string({ unit: "binary", maxLength: 30 });

describe("a safe path", () => {
  test("stays below the skill however it is joined", () => {
    fc.assert(fc.property(anyPath, (path) => !isSafePath(path) || resolvePath("", path) === path));
  });

  test.each(["", "/a", "a//b", "a/", "./a", "a/../b", "..", "a\0b"])("is not %j", (path) => {
    expect(isSafePath(path)).toBe(false);
  });
});

describe("a path that can travel", () => {
  test.each(["a", "a/b.md", "ab:c", "-", ".hidden/x", "é/ö", "a\nb"])("is %j", (path) => {
    expect(travelProblem(path)).toBeNull();
  });

  test.each(["a\\b", "C:/x", "a:b", "half\ud800", "../a", "/a", "a\0b", ""])("is not %j", (path) => {
    expect(travelProblem(path)).toMatch(/^it /);
  });

  test("is safe, whatever it holds", () => {
    fc.assert(fc.property(anyPath, (path) => travelProblem(path) !== null || isSafePath(path)));
  });
});

describe("a path that not every system unpacks", () => {
  test.each([
    "a\\b",
    "a:b",
    "x?",
    "x*",
    'x"',
    "<x",
    "x|y",
    "a\tb",
    "a./b",
    "a /b",
    "AUX",
    "con.txt",
    "lpt1.tar.gz",
    "com\u00b9",
    "nul .md",
  ])("%j", (path) => {
    expect(portabilityProblem(path)).not.toBeNull();
  });

  test.each(["a b.md", "煎茶.md", ".hidden", "console.md", "com10.md", "it's,fine;ok=yes~.txt", "a/b.c/d"])(
    "but not %j",
    (path) => {
      expect(portabilityProblem(path)).toBeNull();
    },
  );
});

test("folding is stable and joins what differs only in case", () => {
  fc.assert(fc.property(anyPath, (path) => foldPath(foldPath(path)) === foldPath(path)));
  expect(foldPath("Grüße/ΑΣ.MD")).toBe(foldPath("grüße/ας.md"));
  expect(foldPath("straße")).not.toBe(foldPath("strasse"));
});

test("an extension is in lower case and not a hidden file's name", () => {
  expect([".env", "a.PY", "x.tar.gz", "Makefile", "a.b/c"].map(extensionOf)).toEqual(["", ".py", ".gz", "", ""]);
});

test("a relative path may go up, but not out", () => {
  expect(resolvePath("a/b", "../c")).toBe("a/c");
  expect(resolvePath("a", "../../c")).toBeNull();
});
