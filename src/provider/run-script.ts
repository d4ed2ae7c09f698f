/** Owns the tool `run_skill_script`: which script, with which words and limits. Never runs anything itself; the script's runner does. */
import type { RunLimits } from "../model/run.ts";
import type { AgentSkillsSourceContext } from "../model/skill.ts";
import type { ToolAnswer } from "./answers.ts";
import type { Catalogue } from "./catalogue.ts";
import { findScript } from "./find-in-skill.ts";
import { runText } from "./run-text.ts";
import { inputFiles, type RunArguments, readRunArguments } from "./tool-arguments.ts";

/** Runs a script and answers its outcome. A script that fails is an answer with `is_error`, with all of its run. */
export async function runScript(
  catalogue: Catalogue,
  args: unknown,
  context: AgentSkillsSourceContext,
  operatorLimits: RunLimits,
): Promise<ToolAnswer> {
  const call = readRunArguments(args);
  const skill = catalogue.find(call.skill_name);
  const script = await findScript(skill, call.script_name);
  const run = await script.run({
    context,
    arguments: call.arguments,
    stdin: call.stdin ?? "",
    files: inputFiles(call.files),
    limits: lowered(operatorLimits, call.limits),
  });
  return {
    is_error: run.exit_code !== 0,
    content: runText(run),
    skill: { name: skill.name, digest: skill.digest },
    run,
  };
}

function lowered(limits: RunLimits, asked: RunArguments["limits"]): RunLimits {
  return {
    ...limits,
    timeout_ms: Math.min(limits.timeout_ms, asked?.timeout_ms ?? limits.timeout_ms),
    output_bytes: Math.min(limits.output_bytes, asked?.output_bytes ?? limits.output_bytes),
  };
}
