/** Owns the brief answer to loading a skill that the conversation has already. Never answers so when anything changed, or when not all was given. */
import type { SkillActivations } from "./activations.ts";
import type { ToolAnswer } from "./answers.ts";
import { attributeText } from "./escape.ts";

/** The answer to loading all of a skill as it is given: brief where the very same content was loaded before. Notes what is loaded. */
export function givenOnce(answer: ToolAnswer, activations: SkillActivations): ToolAnswer {
  const { skill } = answer;
  const digest = skill?.digest ?? null;
  if (skill === undefined || digest === null || answer.is_error || answer.next_offset !== undefined) {
    return answer;
  }
  if (!activations.has(skill.name, digest)) {
    activations.add(skill.name, digest);
    return answer;
  }
  const content = `The skill "${attributeText(skill.name)}" is loaded already and has not changed. Follow the instructions that you have of it.\n`;
  return { is_error: false, content, skill };
}
