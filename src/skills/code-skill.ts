/** Owns what all skills defined in code have in common: answers like those of a file skill, made from fields. Never reads a file. */
import type { AgentSkillFrontmatter } from "../model/frontmatter.ts";
import type {
  AgentSkill,
  AgentSkillContent,
  AgentSkillCounts,
  AgentSkillResource,
  AgentSkillScript,
} from "../model/skill.ts";

/** A skill in code: its frontmatter as SKILL.md would have it, its instructions as the body. */
export abstract class CodeSkill implements AgentSkill {
  abstract readonly frontmatter: AgentSkillFrontmatter;
  abstract readonly instructions: string;
  readonly aliases: readonly string[] = [];
  readonly digest = null;
  /** Null: its functions may say something else each time. */
  readonly revision = null;
  readonly layer = null;

  /** What it has now. */
  protected abstract codeMembers(): CodeMembers;

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
    const { resources, scripts } = this.codeMembers();
    return {
      resources: resources.length,
      scripts: scripts.length,
      runnable: scripts.filter((script) => script.runnable).length,
    };
  }

  async getContent(): Promise<AgentSkillContent> {
    return {
      frontmatter: this.frontmatter.toJSON(),
      allowedTools: this.frontmatter.allowedTools?.split(/\s+/).filter((name) => name !== "") ?? [],
      body: this.instructions,
    };
  }

  async getManifest(): Promise<null> {
    return null;
  }

  async listResources(): Promise<readonly AgentSkillResource[]> {
    return this.codeMembers().resources;
  }

  async listScripts(): Promise<readonly AgentSkillScript[]> {
    return this.codeMembers().scripts;
  }
}

/** Resources and scripts of a skill in code. */
export interface CodeMembers {
  readonly resources: readonly AgentSkillResource[];
  readonly scripts: readonly AgentSkillScript[];
}
