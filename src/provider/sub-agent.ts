/** Owns running a skill in a context of its own: its instructions, files and reasoning stay out of the main conversation. Speaks to no model itself. */
import { SkillsError } from "../model/errors.ts";
import { answerCall } from "./dispatch.ts";
import type { ToolCall } from "./formats.ts";
import type { AgentSkillsProvider, ToolCaller } from "./provider.ts";
import type { ToolDefinition } from "./tools.ts";

/** A message of the sub-agent's conversation. */
export type SubAgentMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

/** What a model said. */
export interface ChatTurn {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Asks any model. */
export type Chat = (messages: readonly SubAgentMessage[], tools: readonly ToolDefinition[]) => Promise<ChatTurn>;

/** What a sub-agent is to do. */
export interface SubAgentTask {
  readonly skill: string;
  readonly task: string;
  readonly chat: Chat;
  /** How often the model is asked at most; default 16. */
  readonly maxTurns?: number;
}

/** What came of it. */
export interface SubAgentResult {
  /** The model's last words: all that the main conversation needs. */
  readonly content: string;
  /** Everything that was said, for logs. */
  readonly messages: readonly SubAgentMessage[];
  /** False when the turns were used up. */
  readonly finished: boolean;
}

const MAX_TURNS = 16;

/**
 * Runs one skill in a conversation of its own. Its tools reach that skill only.
 *
 * @example
 * const { content } = await runSkillInSubAgent(provider, caller, { skill: "code-review", task: diff, chat: askModel });
 */
export async function runSkillInSubAgent(
  provider: AgentSkillsProvider,
  caller: ToolCaller,
  { skill: wanted, task, chat, maxTurns = MAX_TURNS }: SubAgentTask,
): Promise<SubAgentResult> {
  const { activations: _, ...own } = caller;
  const loaded = await provider.callTool("load_skill", { skill_name: wanted }, own);
  if (loaded.is_error || loaded.skill === undefined) {
    throw new SkillsError(loaded.error?.code ?? "skill-not-found", loaded.error?.message ?? `Cannot load "${wanted}"`);
  }
  const { name } = loaded.skill;
  const tools = (await provider.getContext(own)).tools.filter(({ name: tool }) => isOfOneSkill(provider, tool));
  const system = `You do one task with the skill below, and answer with its result only.\n\n${loaded.content}`;
  const messages: SubAgentMessage[] = [
    { role: "system", content: system },
    { role: "user", content: task },
  ];
  for (let turn = 0; turn < maxTurns; turn++) {
    own.signal?.throwIfAborted();
    const { content, toolCalls } = await chat(messages, tools);
    messages.push({ role: "assistant", content, toolCalls });
    if (toolCalls.length === 0) {
      return { content, messages, finished: true };
    }
    const answers = await Promise.all(toolCalls.map((call) => answerCall(provider, pinned(call, name), own)));
    messages.push(
      ...toolCalls.map(({ id }, i): SubAgentMessage => {
        return { role: "tool", toolCallId: id, content: answers[i]?.content ?? "" };
      }),
    );
  }
  return { content: "", messages, finished: false };
}

function isOfOneSkill(provider: AgentSkillsProvider, called: string): boolean {
  const tool = provider.toolOf(called);
  return tool !== null && tool !== "search_skills";
}

/** The call with the skill's own name, whichever the model wrote. */
function pinned(call: ToolCall, skill_name: string): ToolCall {
  const { arguments: given } = call;
  let value: unknown = given;
  try {
    value = typeof given === "string" ? JSON.parse(given) : given;
  } catch {
    return call;
  }
  return typeof value === "object" && value !== null ? { ...call, arguments: { ...value, skill_name } } : call;
}
