/** Owns skills that are classes, for libraries of skills. What they define runs in the host's own process, with all the host may do. */
import type { AgentSkillResource, AgentSkillScript } from "../model/skill.ts";
import { type CodeMembers, CodeSkill } from "./code-skill.ts";
import { decoratedMembers } from "./decorated-members.ts";

/**
 * A skill as a class: override the properties, or mark members with the decorators `@resource` and `@script`.
 *
 * @example
 * class UnitConverterSkill extends AgentClassSkill {
 *   readonly frontmatter = new AgentSkillFrontmatter("unit-converter", "Converts between units.");
 *   readonly instructions = "Look up the factor in `conversion-table`, then run `convert`.";
 *   override readonly resources = [new AgentInlineSkillResource("conversion-table", "kg=2.205lb")];
 *   override readonly scripts = [new AgentInlineSkillScript("convert", convert)];
 * }
 */
export abstract class AgentClassSkill extends CodeSkill {
  /** Beside those of decorators. */
  readonly resources: readonly AgentSkillResource[] = [];
  /** Beside those of decorators. */
  readonly scripts: readonly AgentSkillScript[] = [];

  protected override codeMembers(): CodeMembers {
    const { resources, scripts } = decoratedMembers(this);
    return { resources: [...this.resources, ...resources], scripts: [...this.scripts, ...scripts] };
  }
}
