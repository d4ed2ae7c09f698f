import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/model/record.ts";
import { readCases } from "../../helpers/cases.ts";
import type { SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER, providerOver } from "../../helpers/provider.ts";

interface WrittenSkill {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly "allowed-tools"?: string;
}

interface TextRules {
  readonly must_contain?: readonly string[];
  readonly must_not_contain?: readonly string[];
  readonly counts?: Readonly<Record<string, number>>;
  readonly at_most?: Readonly<Record<string, number>>;
}

interface EscapingCase {
  readonly id: string;
  readonly input: { readonly skills: readonly WrittenSkill[]; readonly read?: string };
  readonly expect: {
    readonly instructions?: TextRules;
    readonly load_skill?: TextRules;
    readonly read_skill_resource?: TextRules;
  };
}

function specOf(skill: WrittenSkill): SkillSpec {
  const { name, description, body, files, metadata = {}, ...fields } = skill;
  const allowed = fields["allowed-tools"];
  return {
    name,
    description,
    body,
    metadata,
    frontmatter: { ...(fields as JsonObject), metadata },
    allowedTools: allowed === undefined ? [] : [allowed],
    files: files.map(({ path, text }) => ({ path, content: text })),
    scripts: files.map(({ path }) => path).filter((path) => path.startsWith("scripts/")),
  };
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Everything in a text that its rules do not allow. */
function breaches(text: string, rules: TextRules): string[] {
  const { must_contain = [], must_not_contain = [], counts = {}, at_most = {} } = rules;
  return [
    ...must_contain.filter((part) => !text.includes(part)).map((part) => `lacks ${JSON.stringify(part)}`),
    ...must_not_contain.filter((part) => text.includes(part)).map((part) => `has ${JSON.stringify(part)}`),
    ...Object.entries(counts)
      .filter(([part, count]) => countOf(text, part) !== count)
      .map(([part, count]) => `has ${JSON.stringify(part)} ${countOf(text, part)} times, not ${count}`),
    ...Object.entries(at_most)
      .filter(([part, count]) => countOf(text, part) > count)
      .map(([part, count]) => `has ${JSON.stringify(part)} ${countOf(text, part)} times, over ${count}`),
  ];
}

describe("AgentSkillsProvider keeps the text of a skill in its place", () => {
  it.each(readCases<EscapingCase>("escaping"))("$id", async ({ input, expect: expected }) => {
    const provider = await providerOver(input.skills.map(specOf));
    const skill_name = input.skills[0]?.name;

    const { instructions } = await provider.getContext(CALLER);
    const loaded = await provider.callTool("load_skill", { skill_name }, CALLER);
    const read = await provider.callTool(
      "read_skill_resource",
      { skill_name, resource_name: input.read ?? "" },
      CALLER,
    );

    expect({
      instructions: breaches(instructions, expected.instructions ?? {}),
      load_skill: breaches(loaded.content, expected.load_skill ?? {}),
      read_skill_resource: breaches(read.content, expected.read_skill_resource ?? {}),
      load_failed: loaded.is_error,
    }).toEqual({ instructions: [], load_skill: [], read_skill_resource: [], load_failed: false });
  });
});
