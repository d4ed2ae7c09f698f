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
