/** Owns what all skills defined in code have in common: content like that of a file skill, made from fields. Never reads a file. */
import type { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import type { AgentSkillContent, AgentSkillCounts, AgentSkillResource, AgentSkillScript } from "../model/skill.ts";

/** The content of a skill in code: its frontmatter as SKILL.md would have it, its instructions as the body. */
export function codeContent(frontmatter: AgentSkillFrontmatter, instructions: string): AgentSkillContent {
  return {
    frontmatter: frontmatter.toJSON(),
    allowedTools: frontmatter.allowedTools?.split(/\s+/).filter((name) => name !== "") ?? [],
    body: instructions,
  };
}

/** How many there are; all scripts in code can run. */
export function codeCounts(
  resources: readonly AgentSkillResource[],
  scripts: readonly AgentSkillScript[],
): AgentSkillCounts {
  return {
    resources: resources.length,
    scripts: scripts.length,
    runnable: scripts.filter((script) => script.runnable).length,
  };
}
