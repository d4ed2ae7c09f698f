/** docs/skills.md: its diagnostics are those of the code, and its examples give them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { EXAMPLES, type ExampleFiles } from "../../../scripts/skills-doc/examples.ts";
import { withDiagnostics } from "../../../scripts/skills-doc/render.ts";
import { DIAGNOSTIC_GUIDE } from "../../../src/check/diagnostic-guide.ts";
import { DIAGNOSTIC_SEVERITY } from "../../../src/model/diagnostics.ts";
import { packSkills } from "../../../src/pack/pack.ts";
import { directoryOf } from "../../helpers/cli.ts";

const document = readFileSync(fileURLToPath(new URL("../../../docs/skills.md", import.meta.url).href), "utf8");

const shown = Object.entries(EXAMPLES).flatMap(([code, example]) =>
  "files" in example ? [[code, example.files] as [string, ExampleFiles]] : [],
);

describe("docs/skills.md", () => {
  test("lists the diagnostics as `npm run docs` writes them", () => {
    expect(withDiagnostics(document)).toBe(document);
  });

  test("has every code once, in the order of the table of severities", () => {
    const codes = [...document.matchAll(/^### `([a-z0-9-]+)`/gm)].map(([, code]) => code);
    expect(codes).toEqual(Object.keys(DIAGNOSTIC_SEVERITY));
    expect(Object.keys(DIAGNOSTIC_GUIDE)).toEqual(codes);
  });

  test.each(shown)("gives files that are %s", async (code, files) => {
    const top = directoryOf(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [join("bird-log", path), text])),
    );
    const { skills, diagnostics } = await packSkills({ roots: [top] }, { base: top });
    const found = [...skills.flatMap((skill) => skill.diagnostics), ...diagnostics].map((problem) => problem.code);
    expect(found).toContain(code);
    expect(found.filter((other) => other !== code && !other.startsWith("name-"))).toEqual([]);
  });
});
