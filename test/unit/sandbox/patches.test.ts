import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { patchCPython, primordialsFor, replaceOnce } from "../../../scripts/sandbox-patches.ts";
import { patchJustBash } from "../../../scripts/shell-patches.ts";

const JUST_BASH = dirname(dirname(dirname(createRequire(import.meta.url).resolve("just-bash"))));
const shell = readFileSync(join(JUST_BASH, "dist/bundle/browser.js"), "utf8");
const python = readFileSync(join(JUST_BASH, "vendor/cpython-emscripten/python.cjs"), "utf8");

describe("patches", () => {
  test("all match the installed packages", () => {
    expect(patchJustBash(shell)).toContain("sandboxTurn()");
    expect(patchCPython(python)).toContain("export default");
  });

  test("a package that has changed stops the build", () => {
    expect(() => patchJustBash(shell.replaceAll('t==="export"', 't==="EXPORT"'))).toThrow(
      'patch "the builtin trap" matches nowhere',
    );
    expect(() => patchJustBash(shell + shell)).toThrow("more than once");
    expect(() => patchCPython(python.replaceAll('require("ws")', "x"))).toThrow("matches nowhere");
  });

  test("exactly one place is replaced", () => {
    expect(replaceOnce("abc", "b", "b", "$&B")).toBe("a$&Bc");
    expect(() => replaceOnce("bb", "b", "b", "x")).toThrow("more than once");
  });
});

describe("primordialsFor()", () => {
  const taking = (names: string) => `const {\n  ${names},\n} = require('./internal/primordials');`;
  const made = (...sources: readonly string[]) => {
    const module = { exports: {} as Record<string, (...args: unknown[]) => unknown> };
    new Function("module", primordialsFor(sources))(module);
    return module.exports;
  };

  test("gives what the files take and no more", () => {
    const own = made(taking("ArrayPrototypeMap, ObjectEntries"), taking("ObjectPrototypeHasOwnProperty: has"), "x");
    expect(Object.keys(own)).toEqual(["ArrayPrototypeMap", "ObjectEntries", "ObjectPrototypeHasOwnProperty"]);
    expect(own.ArrayPrototypeMap?.([1, 2], (n: number) => n * 2)).toEqual([2, 4]);
    expect(own.ObjectEntries?.({ a: 1 })).toEqual([["a", 1]]);
    expect(own.ObjectPrototypeHasOwnProperty?.({ a: 1 }, "a")).toBe(true);
  });

  test("takes a list where the name says so", () => {
    const list = [1];
    expect(made(taking("ArrayPrototypePushApply")).ArrayPrototypePushApply?.(list, [2, 3])).toBe(3);
    expect(list).toEqual([1, 2, 3]);
  });

  test("a name that stands for nothing stops the build", () => {
    expect(() => made(taking("ArrayPrototypeFly"))).toThrow('no primordial is known as "ArrayPrototypeFly"');
    expect(() => made("nothing here")).toThrow("nothing takes any primordial");
  });
});
