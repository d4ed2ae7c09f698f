/** Owns the tool `run_skill_script`: which script, with which words and limits. Never runs anything itself; the script's runner does. */
import { blockedError } from "../model/blocks.ts";
import { type Digest, digestOf } from "../model/digest.ts";
import { travelProblem } from "../model/path.ts";
import type { JsonValue } from "../model/record.ts";
import type { RunInputFile, RunLimits, RunResult } from "../model/run.ts";
import type { AgentSkill, AgentSkillScript, AgentSkillsSourceContext, ScriptCall } from "../model/skill.ts";
import type { ToolAnswer } from "./answers.ts";
import type { GatedCall } from "./approval-gate.ts";
import { shownInput } from "./approval-input.ts";
import type { Catalogue } from "./catalogue.ts";
import { findScript } from "./find-in-skill.ts";
import { runText } from "./run-text.ts";
import { inputFiles, type RunArguments, readRunArguments } from "./tool-arguments.ts";

/** Makes of the arguments a model sent what a script is to take; null for the usual way. */
export type MarshalerFor = (
  skill: AgentSkill,
  script: AgentSkillScript,
) => ((given: JsonValue | undefined) => JsonValue | undefined) | null;

/** How scripts are run. */
export interface RunRules {
  /** The operator's limits; a caller can only lower them. */
  readonly limits: RunLimits;
  readonly marshalerFor: MarshalerFor | null;
  /** Lets a call pass, or answers that a person is asked; null where nobody is asked. */
  readonly gate: ((call: GatedCall, make: () => Promise<ToolAnswer>) => Promise<ToolAnswer>) | null;
}

/** What became of a call, and which script was meant. */
export interface ScriptOutcome {
  readonly answer: ToolAnswer;
  readonly script: string;
}

/** Runs a script and answers its outcome. A script that fails is an answer with `is_error`, with all of its run. */
export async function runScript(
  catalogue: Catalogue,
  args: unknown,
  context: AgentSkillsSourceContext,
  rules: RunRules,
): Promise<ScriptOutcome> {
  const asked = readRunArguments(args);
  const skill = catalogue.find(asked.skill_name);
  const script = await findScript(skill, asked.script_name);
  refuseBlocked(skill, script);
  const marshal = rules.marshalerFor?.(skill, script) ?? null;
  const call: ScriptCall = {
    skill,
    context,
    arguments: marshal === null ? asked.arguments : marshal(asked.arguments),
    stdin: asked.stdin ?? "",
    files: inputFiles(asked.files),
    limits: lowered(rules.limits, asked.limits),
  };
  const make = () => answerOf(skill, script, call);
  if (rules.gate === null) {
    return { answer: await make(), script: script.name };
  }
  const { stdin, files, limits } = call;
  const gated: GatedCall = {
    tool: "run_skill_script",
    skill,
    item: script.name,
    itemDigest: await digestOfScript(skill, script),
    packed: script.packed ?? null,
    arguments: call.arguments,
    context,
    rest: { stdin, files: await Promise.all(files.map(boundFile)), limits },
    input: shownInput(stdin, files, limits),
    approvalId: asked.approval_id,
  };
  return { answer: await rules.gate(gated, make), script: script.name };
}

/** Throws what a call of this script is answered with when it was recalled, whatever was approved or answered before. */
export async function refuseBlockedCall(catalogue: Catalogue, args: unknown): Promise<void> {
  const asked = readRunArguments(args);
  const skill = catalogue.find(asked.skill_name);
  refuseBlocked(skill, await findScript(skill, asked.script_name));
}

function refuseBlocked(skill: AgentSkill, { name, blocked: reason = null }: AgentSkillScript): void {
  if (reason !== null) {
    throw blockedError("file-blocked", `"${name}" of skill "${skill.name}"`, { reason });
  }
}

async function answerOf(skill: AgentSkill, script: AgentSkillScript, call: ScriptCall): Promise<ToolAnswer> {
  const { run, leftOut } = withUsableFiles(await script.run(call));
  return {
    is_error: run.exit_code !== 0,
    content: leftOut === 0 ? runText(run) : `${runText(run)}\n[Files whose names cannot be passed on: ${leftOut}.]`,
    skill: { name: skill.name, digest: skill.digest },
    run,
  };
}

/** A run without the files whose names are no texts, or lead out of the skill on some system: a caller writes them where it is. */
function withUsableFiles(run: RunResult): { readonly run: RunResult; readonly leftOut: number } {
  const files = run.files.filter(({ path }) => travelProblem(path) === null);
  const leftOut = run.files.length - files.length;
  return { run: leftOut === 0 ? run : { ...run, files, truncated: true }, leftOut };
}

/** The digest of a script that is a file of its skill. */
async function digestOfScript(skill: AgentSkill, { name }: AgentSkillScript): Promise<Digest | null> {
  const resources = await skill.listResources();
  return resources?.find((resource) => resource.name === name)?.digest ?? null;
}

async function boundFile({ path, bytes }: RunInputFile): Promise<{ path: string; digest: Digest }> {
  return { path, digest: await digestOf(bytes) };
}

function lowered(limits: RunLimits, asked: RunArguments["limits"]): RunLimits {
  return {
    ...limits,
    timeout_ms: Math.min(limits.timeout_ms, asked.timeout_ms ?? limits.timeout_ms),
    output_bytes: Math.min(limits.output_bytes, asked.output_bytes ?? limits.output_bytes),
  };
}
