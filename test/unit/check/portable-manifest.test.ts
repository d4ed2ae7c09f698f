/** SKILL.md in the form that every host takes: made where the original differs, beside it. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { formatSkillMd } from "../../../src/check/format-skill-md.ts";
import { skillOf } from "../../helpers/skill-files.ts";

function portableOf(text: string, file = "SKILL.md", directory = "x"): string | null {
  return checkSkill(...skillOf(directory, [{ path: file, text }])).portable;
}

/** The frontmatter as a reader with YAML's own types takes it. */
function readStrictly(text: string | null): unknown {
  return text === null ? null : parse(text.split("---\n")[1] ?? "");
}

const md = (...fields: string[]) => `---\n${fields.join("\n")}\n---\nBody\n`;
const PLAIN = ["name: x", "description: What x does."];

describe("the original is portable", () => {
  test.each([
    md(...PLAIN),
    md('name: "x"', "description: >\n  Folded text.", "license: MIT"),
    md("description: What x does.", "name: x", "metadata:\n  version: '1.10'", "allowed-tools: Read Bash(git:*)"),
    md(...PLAIN, "disable-model-invocation: true", "paths: [a, 1]"),
    md(...PLAIN, 'compatibility: "2 GB of memory"'),
    md(...PLAIN, 'metadata:\n  a: ""\n  b: "true"'),
  ])("%j", (text) => {
    expect(portableOf(text)).toBeNull();
  });
});

describe("no form is portable", () => {
  test.each([
    ["letters outside a–z", md("name: größe", "description: x")],
    ["a name of 65 characters", md(`name: ${"a".repeat(65)}`, "description: x")],
    ["a description of 1025 characters", md("name: x", `description: ${"a".repeat(1025)}`)],
    ["a compatibility of 501 characters", md(...PLAIN, `compatibility: ${"a".repeat(501)}`)],
    ["an error", md("name: x")],
  ])("for %s", (_, text) => {
    expect(portableOf(text)).toBeNull();
  });
});

describe("a portable form is made", () => {
  test.each<[string, string, object]>([
    ["of another name", md("name: Tool X", "description: d"), { name: "tool-x", description: "d" }],
    ["of no name", md("description: d"), { description: "d", name: "x" }],
    ["of a name that is a number", md("name: 123", "description: d"), { name: "123", description: "d" }],
    ["of a description that is a date or a number", md("name: x", "description: 12"), { name: "x", description: "12" }],
    [
      "of metadata with other than texts",
      md(...PLAIN, "metadata:\n  version: 1.10\n  tags: [a, b]\n  draft: true"),
      { name: "x", description: "What x does.", metadata: { version: "1.10", tags: '["a","b"]', draft: "true" } },
    ],
    [
      "of metadata that is no mapping",
      md(...PLAIN, "metadata: [a]"),
      { name: "x", description: "What x does.", metadata: {} },
    ],
    [
      "of tools with commas",
      md(...PLAIN, "allowed-tools: Read, Bash(a, b)"),
      { name: "x", description: "What x does.", "allowed-tools": "Read Bash(a, b)" },
    ],
    [
      "of tools in a list",
      md(...PLAIN, "allowed-tools:\n  - Read\n  - Write"),
      { name: "x", description: "What x does.", "allowed-tools": "Read Write" },
    ],
    [
      "of a colon that was repaired",
      md("name: x", "description: Use when: always"),
      { name: "x", description: "Use when: always" },
    ],
    ["of a key that is there twice", md(...PLAIN, "name: x"), { name: "x", description: "What x does." }],
    [
      "and leaves other fields as they are",
      md("name: Tool X", "description: d", "disable-model-invocation: true", "budget: 1.5", "paths:\n  - a: null"),
      { name: "tool-x", description: "d", "disable-model-invocation": true, budget: 1.5, paths: [{ a: null }] },
    ],
  ])("%s", (_, text, fields) => {
    const made = portableOf(text);
    expect(readStrictly(made)).toEqual(fields);
    expect(made?.endsWith("\n---\nBody\n")).toBe(true);
  });

  test.each([
    ["a byte order mark", `\ufeff${md(...PLAIN)}`, "SKILL.md"],
    ["a blank line before it", `\n${md(...PLAIN)}`, "SKILL.md"],
    ["another spelling of its file", md(...PLAIN), "skill.md"],
  ])("of %s", (_, text, file) => {
    expect(portableOf(text, file)).toBe(md(...PLAIN));
  });

  test("whatever the fields hold: a second time nothing is left to do, and metadata are texts", () => {
    const text = fc.oneof(
      fc.constantFrom("true", "1.10", "", "a, b", "x\n---\n", "2026-01-01"),
      fc.string({ maxLength: 12 }),
    );
    const value = fc.oneof(
      text,
      // JSON has one zero.
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.boolean(),
      fc.array(text, { maxLength: 2 }),
    );
    fc.assert(
      fc.property(
        fc.dictionary(text, value, { maxKeys: 3, noNullPrototype: true }),
        value,
        value,
        (metadata, tools, other) => {
          const fields = { name: "x", description: "d", metadata, "allowed-tools": tools, other };
          const original = formatSkillMd({ fields, body: "Body\n" });
          const made = portableOf(original) ?? original;
          expect(portableOf(made)).toBeNull();
          const read = readStrictly(made) as { metadata: object; other: unknown };
          expect(Object.values(read.metadata).every((item) => typeof item === "string")).toBe(true);
          expect(read.other).toEqual(other);
        },
      ),
    );
  });
});
