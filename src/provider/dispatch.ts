/** Owns answering the tool calls of a provider's message in the provider's own form. Never speaks to a provider itself. */
import { SkillsError } from "../model/errors.ts";
import { failedAnswer, type ToolAnswer } from "./answers.ts";
import { quoted } from "./catalogue.ts";
import { callIn, resultIn, type ToolCall, type ToolFormat } from "./formats.ts";
import type { AgentSkillsProvider, ToolCaller } from "./provider.ts";

/** What is said beside the calls. */
export interface DispatchOptions {
  /** Approvals by the id of the call they are for. */
  readonly approvals?: Readonly<Record<string, string>>;
}

/** Tells whether a call is for one of the provider's tools; a host's own calls are not. */
export function isSkillCall(provider: AgentSkillsProvider, format: ToolFormat, call: unknown): boolean {
  return provider.toolOf(callIn(format, call).name) !== null;
}

/**
 * Answers tool calls, all at once, each in its place. A call of a tool that is not the provider's is answered as an error.
 *
 * @example
 * const calls = response.output.filter((item) => item.type === "function_call");
 * input.push(...response.output, ...(await dispatchToolCalls(provider, "openai-responses", calls, caller)));
 */
export async function dispatchToolCalls(
  provider: AgentSkillsProvider,
  format: ToolFormat,
  calls: readonly unknown[],
  caller: ToolCaller,
  { approvals = {} }: DispatchOptions = {},
): Promise<Record<string, unknown>[]> {
  const read = calls.map((call) => callIn(format, call));
  return Promise.all(
    read.map(async (call) => {
      const approval = Object.hasOwn(approvals, call.id) ? approvals[call.id] : undefined;
      return resultIn(format, call, await answerCall(provider, call, caller, approval));
    }),
  );
}

/** Answers one call. JSON text is taken as what it holds. */
export async function answerCall(
  provider: AgentSkillsProvider,
  call: ToolCall,
  caller: ToolCaller,
  approval?: string,
): Promise<ToolAnswer> {
  const tool = provider.toolOf(call.name);
  try {
    if (tool === null) {
      throw new SkillsError("request-invalid", `Cannot call ${quoted(call.name)}: there is no such tool`);
    }
    const args = argumentsOf(call.arguments);
    return await provider.callTool(tool, approval === undefined ? args : { ...args, approval_id: approval }, caller);
  } catch (error) {
    return failedAnswer(error);
  }
}

function argumentsOf(given: unknown): object {
  const value = typeof given === "string" ? parsed(given) : given;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new SkillsError("arguments-invalid", "Cannot use the arguments: an object is needed");
  }
  return value;
}

function parsed(text: string): unknown {
  try {
    return text.trim() === "" ? {} : JSON.parse(text);
  } catch {
    throw new SkillsError("arguments-invalid", "Cannot use the arguments: they are not JSON");
  }
}
