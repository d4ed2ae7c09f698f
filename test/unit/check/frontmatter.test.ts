/** Frontmatter: whatever it holds, it is read or refused with a place, soon and without throwing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { readManifest } from "../../../src/check/manifest.ts";
import { toJson } from "../../../src/check/yaml-value.ts";
import { textSkill } from "../../helpers/skill-files.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const check = (manifest: string) => checkSkill(...textSkill("x", { "SKILL.md": manifest }));

/** Keys and texts that YAML, JavaScript or the repair could trip over. */
const key = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "a b", "10", "2", "<<", "null"),
  fc.string({ maxLength: 8 }),
);
const value = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.string({ maxLength: 20 }), fc.array(tie("value")), tie("mapping")),
  mapping: fc.array(fc.tuple(key, tie("value"))).map((pairs) => Object.fromEntries(pairs)),
}));

describe("reading", () => {
  test("gives back any texts, lists and mappings written as JSON, which is YAML", () => {
    fc.assert(
      fc.property(value.mapping, (fields) => {
        const json = JSON.stringify(fields);
        const { manifest } = readManifest(encode(`---\n${json}\n---\nbody`), "SKILL.md");
        expect(manifest && JSON.stringify(toJson(manifest.fields))).toBe(json);
      }),
    );
  });

  test("never throws, and what it refuses has a line", () => {
    const pieces = fc.constantFrom(
      "---",
      "\n",
      ": ",
      "a",
      "- ",
      "|",
      ">-",
      '"',
      "'",
      "[",
      "{",
      "]",
      "}",
      "&a ",
      "*a",
      "!!x ",
      "#",
      "\t",
      "  ",
      "\r",
      "%",
      "?",
      "\ufeff",
      "\\",
      ",",
    );
    const text = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (inside) => {
        const { skill, diagnostics } = check(`---\n${inside}\n---\n`);
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        expect(skill === null).toBe(errors.length > 0);
        expect(errors.every(({ line }) => (line ?? 0) >= 1)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("never throws for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        readManifest(bytes, "SKILL.md");
      }),
    );
  });

  test("the body is every byte behind the closing line", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (body) => {
        const text = body.replaceAll("\r", "").toWellFormed();
        const { manifest } = readManifest(encode(`---\nname: x\n---\n${text}`), "SKILL.md");
        expect(manifest?.body).toBe(text);
      }),
    );
  });
});

describe("places", () => {
  const at = (manifest: string, code: string) => {
    const found = check(manifest).diagnostics.find((diagnostic) => diagnostic.code === code);
    return found && [found.line, found.column];
  };

  test.each([
    ["\n\n---\nname: My Name\ndescription: x\n---\n", "name-normalized", [4, 7]],
    ["---\r\nname: x\r\ndescription: x\r\nshout: y\r\n---\r\n", "unknown-field", [4, 1]],
    ["---\nname: x\ndescription: x\nname: x\n---\n", "yaml-duplicate-key", [4, 1]],
    ["---\nname: x\ndescription: 🐦 a: b\n---\n", "yaml-repaired", [3, 14]],
    ["---\nname: x\ndescription: 'a\n---\n", "yaml-invalid", [3, 14]],
    ["---\nname: x\n---\n", "description-missing", [1, 1]],
    ["---\nname: x\ndescription: d\n---\none\n\n🐦 [a](b.md)\n", "reference-missing", [7, 7]],
  ])("of %j", (manifest, code, place) => {
    expect(at(manifest, code)).toEqual(place);
  });

  test("of a byte that is not UTF-8", () => {
    const bytes = Uint8Array.from([...encode("---\nname: é"), 0xff, 0x0a]);
    expect(readManifest(bytes, "SKILL.md").diagnostics).toMatchObject([{ code: "not-utf8", line: 2, column: 8 }]);
  });
});

/** Each would take minutes where the time grows with the square of the length. */
const HOSTILE: Readonly<Record<string, string>> = {
  "open brackets": `x: ${"[".repeat(100_000)}`,
  "brackets on lines": `x: [${"[\n".repeat(50_000)}`,
  "many keys": Array.from({ length: 9_000 }, (_, n) => `k${n}: ${n}`).join("\n"),
  "one key again and again": "k: 1\n".repeat(20_000),
  "keys on one line": `{${Array.from({ length: 9_000 }, (_, n) => `k${n}: ${n}`).join(", ")}}`,
  quotes: `x: ${'"'.repeat(100_001)}`,
  "quotes to repair": `x: ${"'".repeat(100_001)}: `,
  blanks: `x${" ".repeat(100_000)}y`,
  dashes: "- ".repeat(50_000),
  colons: "a: ".repeat(40_000),
  anchors: `a: ${"&a ".repeat(40_000)}x`,
  commas: `a: [${",".repeat(100_000)}]`,
  aliases: `a: &a ${"x".repeat(1_000)}\nb: [${"*a,".repeat(30_000)}]`,
};

test.each(Object.keys(HOSTILE))("reads %s in time", { timeout: 5_000 }, (name) => {
  check(`---\nname: x\ndescription: x\n${HOSTILE[name]}\n---\n`);
});
