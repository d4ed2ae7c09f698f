/** Owns the base of all decorators: a source around a source. Changes nothing by itself. */
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";

/**
 * A source that passes on what another one answers; extend it to change that.
 *
 * @example
 * class Upcoming extends DelegatingAgentSkillsSource {
 *   override async getSkills(context: AgentSkillsSourceContext) {
 *     return (await super.getSkills(context)).filter(({ metadata }) => metadata.stage !== "draft");
 *   }
 * }
 */
export abstract class DelegatingAgentSkillsSource extends AgentSkillsSource {
  /** The source within; disposed with this one. */
  protected readonly innerSource: AgentSkillsSource;

  constructor(innerSource: AgentSkillsSource) {
    super();
    this.innerSource = innerSource;
  }

  getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    return this.innerSource.getSkills(context);
  }

  override async dispose(): Promise<void> {
    await this.innerSource.dispose?.();
  }
}
