/** Owns a source of skills that are there already. Never reads anything. */
import { type AgentSkill, AgentSkillsSource } from "../model/skill.ts";

/**
 * Skills that are given once, for every caller. Later changes to the given list do not show.
 *
 * @example
 * new AgentInMemorySkillsSource([new AgentInlineSkill({ … }), new UnitConverterSkill()]);
 */
export class AgentInMemorySkillsSource extends AgentSkillsSource {
  readonly #skills: readonly AgentSkill[];

  constructor(skills: Iterable<AgentSkill>) {
    super();
    this.#skills = Object.freeze([...skills]);
  }

  async getSkills(): Promise<readonly AgentSkill[]> {
    return this.#skills;
  }
}
