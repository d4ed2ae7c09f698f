/** Owns a skill of another's that is a set of files, SKILL.md among them, known when it is asked for. Its scripts are files to read; what it says of tools grants nothing. */
import { splitFrontmatter } from "../check/frontmatter.ts";
import { readManifestText } from "../check/text.ts";
import { SkillsError } from "../model/errors.ts";
import { comparePaths } from "../model/record.ts";
import {
  AgentSkill,
  type AgentSkillContent,
  type AgentSkillFacts,
  type AgentSkillResource,
  type AgentSkillScript,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
} from "../model/skill.ts";

/** Gives the files of a skill. */
export type FilesOf = (context: AgentSkillsSourceContext) => Promise<readonly AgentSkillResource[]>;

const MANIFEST = "SKILL.md";

/** A skill of files. */
export class FilesSkill extends AgentSkill {
  readonly #filesOf: FilesOf;
  /** As its source lists it: the name it is served under may have more. */
  readonly #listed: Pick<AgentSkillFacts, "name" | "description">;

  constructor(facts: AgentSkillFacts, listed: Pick<AgentSkillFacts, "name" | "description">, filesOf: FilesOf) {
    super({ counts: { resources: null, scripts: 0, runnable: 0 }, ...facts });
    this.#listed = { name: listed.name, description: listed.description };
    this.#filesOf = filesOf;
  }

  async getContent(context: AgentSkillsSourceContext = NO_CONTEXT): Promise<AgentSkillContent> {
    const manifest = await this.#manifest(context);
    const { text } = readManifestText(await manifest.read(context), MANIFEST);
    const { parts } = splitFrontmatter(text ?? "", MANIFEST);
    if (text === null || parts === null) {
      throw new SkillsError("skills-invalid", `Cannot read the skill "${this.name}": its SKILL.md has no frontmatter`);
    }
    return { frontmatter: { ...this.#listed }, allowedTools: [], body: parts.body };
  }

  override getManifest(): Promise<AgentSkillResource> {
    return this.#manifest(NO_CONTEXT);
  }

  override async listResources(): Promise<readonly AgentSkillResource[]> {
    const files = await this.#filesOf(NO_CONTEXT);
    return files.filter(({ name }) => name !== MANIFEST).toSorted((a, b) => comparePaths(a.name, b.name));
  }

  override async listScripts(): Promise<readonly AgentSkillScript[]> {
    return [];
  }

  async #manifest(context: AgentSkillsSourceContext): Promise<AgentSkillResource> {
    const manifest = (await this.#filesOf(context)).find(({ name }) => name === MANIFEST);
    if (manifest === undefined) {
      throw new SkillsError("skill-md-missing", `Cannot read the skill "${this.name}": it has no SKILL.md`);
    }
    return manifest;
  }
}
