/** Owns which calls need a person: the operator's policy, never the text of a skill. Never asks anybody; approval-gate.ts does. */
import type { JsonValue } from "../model/record.ts";
import type { AgentSkill, AgentSkillsSourceContext } from "../model/skill.ts";
import type { ToolName } from "./tools.ts";

/** `never`: no person is asked. `ask`: always. `auto`: unless one of the rules says that this call is fine. */
export type ApprovalMode = "never" | "ask" | "auto";

/** A call that may need a person. */
export interface ApprovalQuestion {
  readonly tool: ToolName;
  readonly skill: AgentSkill;
  /** The resource or script, by its listed name; null when a skill is loaded. */
  readonly item: string | null;
  readonly arguments: JsonValue | undefined;
  readonly context: AgentSkillsSourceContext;
}

/** Tells that a call is fine without a person. Counts only where the mode is `auto`. */
export type ApprovalRule = (question: ApprovalQuestion) => boolean;

/** Modes of one skill: for running its scripts, or by tool. */
export type SkillApproval = ApprovalMode | Readonly<Partial<Record<ToolName, ApprovalMode>>>;

/** Who is asked when. The nearest counts: script, then skill, then tool. */
export interface ApprovalPolicy {
  /** By tool; default: running asks, everything else does not. */
  readonly tools?: Readonly<Partial<Record<ToolName, ApprovalMode>>>;
  /** By a skill's served name. */
  readonly skills?: Readonly<Record<string, SkillApproval>>;
  /** By `<skill>/<script>`. */
  readonly scripts?: Readonly<Record<string, ApprovalMode>>;
  readonly rules?: readonly ApprovalRule[];
}

/** Loading, searching and reading are fine. */
export const readOnlyRule: ApprovalRule = ({ tool }) => tool !== "run_skill_script";

/** Everything is fine. */
export const allToolsRule: ApprovalRule = () => true;

/** Tells whether a person has to be asked. */
export function needsApproval(policy: ApprovalPolicy, question: ApprovalQuestion): boolean {
  const mode = modeOf(policy, question);
  return mode === "ask" || (mode === "auto" && !policy.rules?.some((rule) => rule(question)));
}

function modeOf({ tools = {}, skills = {}, scripts = {} }: ApprovalPolicy, question: ApprovalQuestion): ApprovalMode {
  const { tool, skill, item } = question;
  const ofScript = tool === "run_skill_script" ? own(scripts, `${skill.name}/${item}`) : undefined;
  const ofSkill = own(skills, skill.name);
  const usual: ApprovalMode = tool === "run_skill_script" ? "ask" : "never";
  return ofScript ?? (ofSkill === undefined ? undefined : ofTool(ofSkill, tool)) ?? tools[tool] ?? usual;
}

function ofTool(approval: SkillApproval, tool: ToolName): ApprovalMode | undefined {
  if (typeof approval !== "string") {
    return approval[tool];
  }
  return tool === "run_skill_script" ? approval : undefined;
}

function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}
