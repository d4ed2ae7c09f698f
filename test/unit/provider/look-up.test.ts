import { describe, expect, it } from "vitest";
import type { ToolAnswer } from "../../../src/provider/answers.ts";
import type { ToolName } from "../../../src/provider/tools.ts";
import { readCases } from "../../helpers/cases.ts";
import type { SkillSpec } from "../../helpers/pack-skills.ts";
import { CALLER, NotingRunner, providerOver } from "../../helpers/provider.ts";

interface ListedSkill {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly resources: readonly string[];
  readonly scripts: readonly string[];
}

type WrittenName = string | { readonly generate: { head?: string; repeat: string; times: number; tail?: string } };

interface LookUpCase {
  readonly id: string;
  readonly input: {
    readonly skill?: ListedSkill;
    readonly skills?: readonly ListedSkill[];
    readonly tool: ToolName;
    readonly skill_name: WrittenName;
    readonly resource_name?: WrittenName;
    readonly script_name?: WrittenName;
  };
  readonly expect: {
    readonly found?: string;
    readonly error?: string | readonly string[];
    readonly candidates_include?: readonly string[];
    readonly candidates_exclude?: readonly string[];
  };
}

function specOf({ name, aliases, resources, scripts }: ListedSkill): SkillSpec {
  const files = resources.map((path) => ({ path, content: `text of ${path}` }));
  return { name, scripts, files, ...(aliases ? { aliases } : {}) };
}

function nameOf(written: WrittenName): string {
  if (typeof written === "string") {
    return written;
  }
  const { head = "", repeat, times, tail = "" } = written.generate;
  return head + repeat.repeat(times) + tail;
}

function argumentsOf({ skill_name, resource_name, script_name }: LookUpCase["input"]): Record<string, string> {
  return {
    skill_name: nameOf(skill_name),
    ...(resource_name === undefined ? {} : { resource_name: nameOf(resource_name) }),
    ...(script_name === undefined ? {} : { script_name: nameOf(script_name) }),
  };
}

function foundName(tool: ToolName, answer: ToolAnswer, runner: NotingRunner): string | undefined {
  switch (tool) {
    case "load_skill":
    case "search_skills":
      return answer.skill?.name;
    case "read_skill_resource":
      return answer.resource?.name;
    case "run_skill_script":
      return runner.jobs[0]?.script.path;
  }
}

describe("AgentSkillsProvider.callTool() finds what a written name means", () => {
  it.each(readCases<LookUpCase>("lookup"))("$id", async ({ input, expect: expected }) => {
    const runner = new NotingRunner();
    const skills = input.skills ?? (input.skill ? [input.skill] : []);
    const provider = await providerOver(skills.map(specOf), { runner });

    const answer = await provider.callTool(input.tool, argumentsOf(input), CALLER);

    const { found, error, candidates_include = [], candidates_exclude = [] } = expected;
    if (found !== undefined) {
      expect({ name: foundName(input.tool, answer, runner), error: answer.error }).toEqual({ name: found });
    } else {
      expect([error].flat()).toContain(answer.error?.code);
      expect(answer.error?.candidates).toEqual(expect.arrayContaining([...candidates_include]));
      expect(answer.error?.candidates.filter((name) => candidates_exclude.includes(name))).toEqual([]);
      expect(runner.jobs).toEqual([]);
    }
  });
});
