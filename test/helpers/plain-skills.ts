/** Makes skills and sources for tests of what stands around sources. Runs anywhere. */
import {
  type AgentSkill,
  AgentSkillsSource,
  type AgentSkillsSourceContext,
  NO_CONTEXT,
} from "../../src/model/skill.ts";
import { AgentInlineSkill } from "../../src/skills/inline-skill.ts";

/** A skill that has nothing but a name. */
export function plainSkill(name: string, metadata: Readonly<Record<string, string>> = {}): AgentInlineSkill {
  return new AgentInlineSkill({ name, description: `Does ${name}.`, instructions: `Do ${name}.`, metadata });
}

/** Who asks, when it matters. */
export function asking(context: Partial<AgentSkillsSourceContext>): AgentSkillsSourceContext {
  return { ...NO_CONTEXT, ...context };
}

/** The names of skills, in their order. */
export function namesOf(skills: readonly AgentSkill[]): string[] {
  return skills.map(({ name }) => name);
}

/** A source that answers what it is told to, or fails, and counts. */
export class ToldSource extends AgentSkillsSource {
  answer: readonly AgentSkill[] | Error;
  calls = 0;
  disposals = 0;
  readonly contexts: AgentSkillsSourceContext[] = [];

  constructor(answer: readonly AgentSkill[] | Error) {
    super();
    this.answer = answer;
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    this.calls++;
    this.contexts.push(context);
    if (this.answer instanceof Error) {
      throw this.answer;
    }
    return this.answer;
  }

  override async dispose(): Promise<void> {
    this.disposals++;
  }
}

/** A logger that keeps what it is told. */
export class NotingLogger {
  readonly messages: string[] = [];

  warn(message: string): void {
    this.messages.push(message);
  }
}
