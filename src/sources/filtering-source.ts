/** Owns leaving out skills, by skill and caller. What is left out is not listed, not found and not readable. */
import type { AgentSkill, AgentSkillsSource, AgentSkillsSourceContext } from "../model/skill.ts";
import { DelegatingAgentSkillsSource } from "./delegating-source.ts";
import { KeptSelections } from "./kept-lists.ts";

/** Tells whether a caller may use a skill. Asked anew for each call, so it may depend on anything. */
export type SkillFilter = (skill: AgentSkill, context: AgentSkillsSourceContext) => boolean;

/**
 * The skills of a source that a filter lets pass, in their order.
 *
 * @example
 * new FilteringAgentSkillsSource(source, ({ metadata }, { agent }) => metadata.role === undefined || metadata.role === agent);
 */
export class FilteringAgentSkillsSource extends DelegatingAgentSkillsSource {
  readonly #filter: SkillFilter;
  readonly #selections = new KeptSelections();

  constructor(innerSource: AgentSkillsSource, filter: SkillFilter) {
    super(innerSource);
    this.#filter = filter;
  }

  override async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const skills = await this.innerSource.getSkills(context);
    return this.#selections.select(
      skills,
      skills.map((skill) => this.#filter(skill, context)),
    );
  }
}
