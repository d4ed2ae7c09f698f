/** Owns what is told of the use of skills, with the attribute names of OpenTelemetry's conventions for generative AI. Never sends anything. */
import type { ToolAnswer } from "./answers.ts";
import type { ToolName } from "./tools.ts";

/** What a model did with skills. */
export type SkillEventType = "load" | "search" | "read" | "run";

/** One call of a tool. Names are the resolved ones, never what the model wrote. */
export interface SkillEvent {
  readonly type: SkillEventType;
  readonly durationMs: number;
  /** For an `execute_tool` span. Absent where it was not resolved. */
  readonly attributes: {
    readonly "gen_ai.operation.name": "execute_tool";
    readonly "gen_ai.tool.name": ToolName;
    readonly "gen_ai.skill.name"?: string;
    readonly "gen_ai.skill.digest"?: string;
    readonly "gen_ai.skill.resource.name"?: string;
    readonly "gen_ai.skill.script.name"?: string;
    /** The script's own result, which is no failure of the tool. */
    readonly "gen_ai.skill.script.exit_code"?: number;
    /** Why the call failed: a stable code. */
    readonly "error.type"?: string;
  };
}

/** Takes events. What it throws is not the caller's problem: it is dropped. */
export type OnSkillEvent = (event: SkillEvent) => void;

const TYPES: Readonly<Record<ToolName, SkillEventType>> = {
  load_skill: "load",
  search_skills: "search",
  read_skill_resource: "read",
  run_skill_script: "run",
};

/** What a call was, once it was answered. */
export interface AnsweredCall {
  readonly tool: ToolName;
  readonly durationMs: number;
  readonly answer: Partial<ToolAnswer>;
  /** The resolved script; null for other tools. */
  readonly script: string | null;
}

/** The event of a call. */
export function skillEvent({ tool, durationMs, answer, script }: AnsweredCall): SkillEvent {
  const { skill, resource, run, error } = answer;
  return {
    type: TYPES[tool],
    durationMs,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      ...(skill === undefined ? {} : { "gen_ai.skill.name": skill.name }),
      ...(skill === undefined || skill.digest === null ? {} : { "gen_ai.skill.digest": skill.digest }),
      ...(resource === undefined ? {} : { "gen_ai.skill.resource.name": resource.name }),
      ...(script === null ? {} : { "gen_ai.skill.script.name": script }),
      ...(run === undefined || run.exit_code === null ? {} : { "gen_ai.skill.script.exit_code": run.exit_code }),
      ...(error === undefined ? {} : { "error.type": error.code }),
    },
  };
}

/** Hands an event over. */
export function tell(onEvent: OnSkillEvent, event: SkillEvent): void {
  try {
    onEvent(event);
  } catch {
    // Whoever counts calls must not be able to fail one.
  }
}
