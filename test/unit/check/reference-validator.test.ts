/** `--profile spec` comes to the verdicts of agentskills.io's reference validator: its rules and its test cases, one by one. */
import { describe, expect, test } from "vitest";
import { checkSkill } from "../../../src/check/check-skill.ts";
import { underProfile } from "../../../src/check/profiles.ts";
import { textSkill } from "../../helpers/skill-files.ts";

/** Codes and messages of what makes a skill invalid under the profile. */
function refusals(directory: string, files: Readonly<Record<string, string>>): string[] {
  const { diagnostics } = checkSkill(...textSkill(directory, files));
  return diagnostics
    .map((problem) => underProfile(problem, "spec"))
    .filter(({ severity }) => severity === "error")
    .map(({ code, message }) => `${code}: ${message}`);
}

const skill = (fields: string) => ({ "SKILL.md": `---\n${fields}\n---\n# Body\n` });
const named = (name: string, more = "") => skill(`name: ${name}\ndescription: A test skill.${more}`);

describe("the reference validator and --profile spec take", () => {
  test.each<[string, string, Record<string, string>]>([
    ["a valid skill", "my-skill", named("my-skill")],
    ["skill.md in lower case", "my-skill", { "skill.md": named("my-skill")["SKILL.md"] ?? "" }],
    [
      "all fields",
      "my-skill",
      named(
        "my-skill",
        "\nlicense: MIT\ncompatibility: Needs git\nmetadata:\n  author: me\n  version: 1.0\nallowed-tools: Bash(git:*) Read",
      ),
    ],
    ["a Chinese name", "技能", named("技能")],
    ["a Russian name with a hyphen", "мой-навык", named("мой-навык")],
    ["a Russian name", "навык", named("навык")],
    ["a composed directory and a decomposed name", "caf\u00e9", named("cafe\u0301")],
    ["64 characters of name", "a".repeat(64), named("a".repeat(64))],
    ["1024 characters of description", "x", skill(`name: x\ndescription: ${"a".repeat(1024)}`)],
    ["500 characters of compatibility", "x", named("x", `\ncompatibility: ${"a".repeat(500)}`)],
    ["an empty compatibility", "x", named("x", "\ncompatibility:")],
    ["tools in a list", "x", named("x", "\nallowed-tools:\n  - Read\n  - Write")],
    ["tools with commas", "x", named("x", "\nallowed-tools: Read, Write")],
    ["metadata with lists", "x", named("x", "\nmetadata:\n  tags:\n    - a")],
    ["CRLF", "x", { "SKILL.md": named("x")["SKILL.md"]?.replaceAll("\n", "\r\n") ?? "" }],
    ["scalars that look like numbers", "123", named("123")],
    ["scalars of other types as texts", "true", named("true", "\nlicense: 1.0\nmetadata:\n  a: null\n  b: 2026-01-01")],
    ["a license that is a list", "x", named("x", "\nlicense:\n  - MIT")],
    ["metadata that is a list, or a text", "x", named("x", "\nmetadata:\n  - a")],
    ["blanks around the name", "x", named('" x "')],
    ["three dashes in the description, which it cuts there", "x", named("x", " For this --- and that.")],
    ["three dashes in a field behind both", "x", named("x", "\nlicense: a --- b")],
    ["three dashes in the body", "x", { "SKILL.md": `${named("x")["SKILL.md"]}---\na --- b\n` }],
    ["a description in a block", "x", skill("name: x\ndescription: >-\n  A test\n  skill.")],
    ["64 characters beyond the first plane", "𠀀".repeat(64), named("𠀀".repeat(64))],
  ])("%s", (_, directory, files) => {
    expect(refusals(directory, files)).toEqual([]);
  });
});

describe("the reference validator and --profile spec refuse", () => {
  test.each<[string, string, Record<string, string>, RegExp]>([
    ["a directory without SKILL.md", "x", { "README.md": "" }, /no SKILL\.md/],
    ["a third spelling", "x", { "Skill.md": named("x")["SKILL.md"] ?? "" }, /"Skill\.md", not "SKILL\.md"/],
    ["no frontmatter", "x", { "SKILL.md": "# Just text\n" }, /frontmatter-missing/],
    ["frontmatter that is not closed", "x", { "SKILL.md": "---\nname: x\n" }, /frontmatter-unclosed/],
    ["a byte order mark", "x", { "SKILL.md": `\ufeff${named("x")["SKILL.md"]}` }, /byte order mark/],
    ["a blank line before it", "x", { "SKILL.md": `\n${named("x")["SKILL.md"]}` }, /leading-blank/],
    ["invalid YAML", "x", skill("name: [invalid"), /yaml-invalid/],
    ["a list in place of fields", "x", skill("- a\n- b"), /yaml-invalid/],
    ["a key that is there twice", "x", named("x", "\nname: x"), /"name" is there twice/],
    ["an unquoted colon", "x", skill("name: x\ndescription: Use when: always"), /yaml-repaired/],
    ["an unknown field", "x", named("x", "\nunknown_field: y"), /"unknown_field" is no field of the specification/],
    ["no name", "x", skill("description: A test."), /There is no name/],
    ["an empty name", "x", named(""), /There is no name/],
    ["capitals", "MySkill", named("MySkill"), /"MySkill" is not a valid name; it is served as "myskill"/],
    ["Russian capitals", "НАВЫК", named("НАВЫК"), /"НАВЫК" is not a valid name; it is served as "навык"/],
    ["a hyphen at the start", "-my-skill", named("-my-skill"), /is not a valid name/],
    ["a hyphen at the end", "my-skill-", named("my-skill-"), /is not a valid name/],
    ["two hyphens", "my--skill", named("my--skill"), /is not a valid name/],
    ["an underscore", "my_skill", named("my_skill"), /is not a valid name/],
    ["a name of 70 characters", "a".repeat(70), named("a".repeat(70)), /70 characters, 64 are allowed/],
    ["another directory", "wrong-name", named("correct-name"), /called "wrong-name", the skill "correct-name"/],
    ["no description", "x", skill("name: x"), /There is no description/],
    ["a blank description", "x", skill('name: x\ndescription: "  "'), /description is empty/],
    [
      "1100 characters of description",
      "x",
      skill(`name: x\ndescription: ${"a".repeat(1100)}`),
      /1100 characters, 1024/,
    ],
    [
      "compatibility that is a list",
      "x",
      named("x", "\ncompatibility:\n  - git"),
      /wants compatibility to be a text; it is a list/,
    ],
    [
      "compatibility that is a mapping",
      "x",
      named("x", "\ncompatibility:\n  git: 2"),
      /wants compatibility to be a text/,
    ],
    ["a list in brackets", "x", named("x", "\nallowed-tools: [Read]"), /does not read lists and mappings in brackets/],
    ["a mapping in brackets", "x", named("x", "\nmetadata: {}"), /does not read lists and mappings in brackets/],
    [
      "all fields in brackets",
      "x",
      skill("{ name: x, description: y }"),
      /does not read lists and mappings in brackets/,
    ],
    ["a tag", "x", named("x", "\nlicense: !!str MIT"), /does not read tags/],
    ["a tag of a list", "x", named("x", "\nallowed-tools: !own\n  - Read"), /does not read tags/],
    ["an anchor", "x", named("x", "\nlicense: &a MIT"), /does not read anchors and aliases/],
    ["a key twice in metadata", "x", named("x", "\nmetadata:\n  a: 1\n  a: 2"), /"a" is there twice/],
    [
      "three dashes before the description",
      "x",
      skill("name: x # --- the name\ndescription: y"),
      /ends the frontmatter at the first `---`/,
    ],
    [
      "three dashes that cut a quoted text",
      "x",
      skill('name: x\ndescription: "a --- b"'),
      /ends the frontmatter at the first `---`/,
    ],
    [
      "a description of three dashes",
      "x",
      skill("name: x\ndescription: ---"),
      /ends the frontmatter at the first `---`/,
    ],
    ["a name that is a list", "x", skill("name:\n  - x\ndescription: y"), /There is no name/],
    ["a description that is a list", "x", skill("name: x\ndescription:\n  - y"), /The description is a list/],
    ["marks upon letters", "हिन्दी", named("हिन्दी"), /no marks upon them/],
    ["a capital in another shape", "ℌ", named("ℌ"), /takes only lower-case letters/],
    [
      "a name that is longer when it is spelt out",
      "ﬃ".repeat(30),
      named("ﬃ".repeat(30)),
      /takes only lower-case letters/,
    ],
    ["550 characters of compatibility", "x", named("x", `\ncompatibility: ${"a".repeat(550)}`), /550 characters, 500/],
  ])("%s", (_, directory, files, message) => {
    expect(refusals(directory, files)).toEqual([expect.stringMatching(message)]);
  });

  test("all that is wrong at once", () => {
    expect(refusals("x", skill("name: My_Skill\ncolour: red"))).toEqual([
      expect.stringMatching(/description-missing/),
      expect.stringMatching(/name-directory-mismatch/),
      expect.stringMatching(/name-normalized/),
      expect.stringMatching(/unknown-field/),
    ]);
  });
});

/** Where CONTRACT.md §2 has a word of its own, it counts. */
describe("the contract overrules the reference validator, which", () => {
  test.each<[string, string, Record<string, string>, RegExp]>([
    ["takes SKILL.md beside skill.md", "x", { ...named("x"), "skill.md": "" }, /path-case-collision/],
    [
      "takes any three dashes for the opening",
      "x",
      { "SKILL.md": "---name: x\ndescription: y\n---\n" },
      /frontmatter-missing/,
    ],
    [
      "takes any three dashes for the end",
      "x",
      { "SKILL.md": "---\nname: x\ndescription: y\n  ---\n" },
      /frontmatter-unclosed/,
    ],
    ["takes a small two for a digit", "x²", named("x²"), /name-normalized/],
    ["spells out names before it compares", "file", named("\ufb01le"), /name-directory-mismatch/],
    ["takes secrets", "x", { ...named("x"), ".env": "A=1\n" }, /secret-file/],
  ])("%s", (_, directory, files, refusal) => {
    expect(refusals(directory, files)).toEqual([expect.stringMatching(refusal)]);
  });
});
