/** Owns skills that are classes, for libraries of skills. What they define runs in the host's own process, with all the host may do. */
import type { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import type {
  AgentSkill,
  AgentSkillContent,
  AgentSkillCounts,
  AgentSkillResource,
  AgentSkillScript,
} from "../model/skill.ts";
import { codeContent, codeCounts } from "./code-skill.ts";
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
export abstract class AgentClassSkill implements AgentSkill {
  abstract readonly frontmatter: AgentSkillFrontmatter;
  abstract readonly instructions: string;
  /** Beside those of decorators. */
  readonly resources: readonly AgentSkillResource[] = [];
  /** Beside those of decorators. */
  readonly scripts: readonly AgentSkillScript[] = [];
  readonly aliases: readonly string[] = [];
  readonly digest = null;
  readonly revision = null;
  readonly layer = null;

  get name(): string {
    return this.frontmatter.name;
  }

  get description(): string {
    return this.frontmatter.description;
  }

  get metadata(): Readonly<Record<string, string>> {
    return this.frontmatter.metadata;
  }

  get hidden(): boolean {
    return this.frontmatter.hidden;
  }

  get counts(): AgentSkillCounts {
    return codeCounts(this.#allResources(), this.#allScripts());
  }

  async getContent(): Promise<AgentSkillContent> {
    return codeContent(this.frontmatter, this.instructions);
  }

  async getManifest(): Promise<null> {
    return null;
  }

  async listResources(): Promise<readonly AgentSkillResource[]> {
    return this.#allResources();
  }

  async listScripts(): Promise<readonly AgentSkillScript[]> {
    return this.#allScripts();
  }

  #allResources(): readonly AgentSkillResource[] {
    return [...this.resources, ...decoratedMembers(this).resources];
  }

  #allScripts(): readonly AgentSkillScript[] {
    return [...this.scripts, ...decoratedMembers(this).scripts];
  }
}
