import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const BUILT = new URL("../../../src/sandbox/generated/box.txt", import.meta.url);

const modules = JSON.parse(readFileSync(BUILT, "utf8")) as Readonly<Record<string, string>>;

/** The modules that are evaluated together with one. */
function evaluatedWith(name: string, seen = new Set([name])): ReadonlySet<string> {
  for (const [, imported = ""] of (modules[name] ?? "").matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) {
    if (!seen.has(imported)) {
      evaluatedWith(imported, seen.add(imported));
    }
  }
  return seen;
}

test("the isolate for Python and shell starts with the code of neither", () => {
  const names = evaluatedWith("box.js");
  const bytes = [...names].reduce((sum, name) => sum + (modules[name]?.length ?? 0), 0);
  expect([...names].filter((name) => !/^(?:box|chunk-\w+)\.js$/.test(name))).toEqual([]);
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(100_000);
});

test.each(["interpreter", "shell"])("%s is a module of its own, which the other one does not need", (part) => {
  const [name = ""] = Object.keys(modules).filter((name) => name.startsWith(`${part}-`));
  expect([...evaluatedWith(name)].filter((each) => /^(?:interpreter|shell)-/.test(each))).toEqual([name]);
});
