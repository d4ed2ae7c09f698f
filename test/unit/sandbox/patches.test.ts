import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { patchCPython, replaceOnce } from "../../../scripts/sandbox-patches.ts";
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
