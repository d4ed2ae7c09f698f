/** Owns that each name is there once: the first skill counts, whatever the case of its name; a warning tells of the others. */
import { logged, NO_LOG, type SkillsLogger } from "../model/log.ts";
import type { AgentSkill, AgentSkillsSource, AgentSkillsSourceContext } from "../model/skill.ts";
import { DelegatingAgentSkillsSource } from "./delegating-source.ts";
import { KeptLists } from "./kept-lists.ts";

/** How duplicates are told. */
export interface DeduplicatingOptions {
  readonly logger?: SkillsLogger;
}

/**
 * The first skill of each name.
 *
 * @example
 * new DeduplicatingAgentSkillsSource(new AggregatingAgentSkillsSource([tenantSkills, platformSkills]));
 */
export class DeduplicatingAgentSkillsSource extends DelegatingAgentSkillsSource {
  readonly #log: SkillsLogger;
  readonly #kept = new KeptLists();

  constructor(innerSource: AgentSkillsSource, { logger = NO_LOG }: DeduplicatingOptions = {}) {
    super(innerSource);
    this.#log = logger;
  }

  override async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const skills = await this.innerSource.getSkills(context);
    return this.#kept.get([skills], () => this.#firsts(skills));
  }

  #firsts(skills: readonly AgentSkill[]): readonly AgentSkill[] {
    const firsts = new Map<string, AgentSkill>();
    for (const skill of skills) {
      const name = skill.name.normalize("NFC").toLowerCase();
      const first = firsts.get(name);
      if (first === undefined) {
        firsts.set(name, skill);
      } else {
        this.#log.warn(`The skill ${logged(skill.name)} is there twice; the first one counts`, {
          skill: skill.name,
          layer: skill.layer,
          first_layer: first.layer,
        });
      }
    }
    return firsts.size === skills.length ? skills : [...firsts.values()];
  }
}
