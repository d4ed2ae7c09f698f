/** Owns the tools as the AI SDK takes them. The only file that knows its package. */
import { dynamicTool, jsonSchema, type ToolSet } from "ai";
import { plainTools } from "./plain-tools.ts";
import type { AgentSkillsProvider, ToolCaller } from "./provider.ts";

/**
 * The tools of a provider for `generateText`, `streamText` or an agent of the AI SDK.
 *
 * @example
 * const { instructions } = await provider.getContext(caller);
 * await generateText({ model, system: instructions, tools: await aiSdkTools(provider, caller), prompt });
 */
export async function aiSdkTools(provider: AgentSkillsProvider, caller: ToolCaller): Promise<ToolSet> {
  const tools = await plainTools(provider, caller);
  return Object.fromEntries(
    tools.map(({ name, description, parameters, execute }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: async (input, { abortSignal }) => {
          return (await execute(input, abortSignal === undefined ? {} : { signal: abortSignal })).content;
        },
      }),
    ]),
  );
}
