/** Any tree of files, directories and links is packed or refused with words: no crash, no hang, the same outcome each time. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { packSkills } from "../../../src/pack/pack.ts";

const NAMES = [
  "SKILL.md",
  "skill.md",
  "a",
  "b",
  "A",
  "scripts",
  "x.py",
  "y.sh",
  "z.ts",
  ".gitignore",
  ".git",
  "node_modules",
  ".env",
  "aux",
  "é",
  "e\u0301",
  "a:b",
  "…",
];
const TEXTS = [
  "",
  "---\nname: a\ndescription: b\n---\n[x](../a) [y](b)\n",
  "---\nname: A b\ndescription: c: d\n---\n",
  "---\n",
  "import b.a\nimport torch",
  "a | b && (c",
  "import './y.ts';\nimport x from 'left-pad';",
  "*\n!a/\n",
  "/a\n",
  "\u0000",
  "-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n-----END PRIVATE KEY-----\n",
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
const target = fc.oneof(path, fc.constantFrom(".", "..", "../..", "/", "nowhere", "../a", "a/../b"));
const item = fc.oneof(
  { weight: 4, arbitrary: fc.record({ path, text: fc.constantFrom(...TEXTS) }) },
  { weight: 1, arbitrary: fc.record({ path, link: target }) },
);

/** Puts what can be put; a file may be in the way of a directory. */
function plant(top: string, items: readonly ({ path: string } & ({ text: string } | { link: string }))[]): void {
  for (const made of items) {
    const at = join(top, made.path);
    try {
      mkdirSync(dirname(at), { recursive: true });
      if ("link" in made) {
        symlinkSync(made.link, at);
      } else {
        writeFileSync(at, made.text, { flag: "wx" });
      }
    } catch {}
  }
}

test("packSkills() packs or refuses any tree, twice alike", { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
      const top = mkdtempSync(join(tmpdir(), "edge-skills-any-"));
      try {
        plant(top, items);
        const compile = async () => ({ code: "" });
        const [first, second] = [
          await packSkills({ roots: [top] }, { base: top, compile }),
          await packSkills({ roots: [top] }, { base: top, compile }),
        ];
        expect(second.digest).toBe(first.digest);
        expect(JSON.stringify(second.skills)).toBe(JSON.stringify(first.skills));
        for (const { ok, diagnostics } of first.skills) {
          expect(ok).toBe(diagnostics.every(({ severity }) => severity !== "error"));
        }
        expect(first.skills.length > 0 || first.diagnostics.some(({ code }) => code === "zero-skills")).toBe(true);
      } finally {
        rmSync(top, { recursive: true, force: true });
      }
    }),
    { numRuns: 150 },
  );
});
