/** Owns the tools as functions, for frameworks that take a name, a description, a schema and something to call. Depends on none of them. */
import type { JsonObject } from "../model/record.ts";
import type { ToolAnswer } from "./answers.ts";
import { answerCall } from "./dispatch.ts";
import type { AgentSkillsProvider, ToolCaller } from "./provider.ts";
import { strictSchema } from "./strict-schema.ts";

/** A tool that can be called. */
export interface PlainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, valid in strict modes. */
  readonly parameters: JsonObject;
  /** Answers a call; never throws for what the model can put right. */
  readonly execute: (args: unknown, options?: { readonly signal?: AbortSignal }) => Promise<ToolAnswer>;
}

/**
 * The tools that a caller is offered, ready to be called.
 *
 * @example
 * for (const { name, description, parameters, execute } of await plainTools(provider, caller)) {
 *   framework.addTool({ name, description, schema: parameters, run: async (args) => (await execute(args)).content });
 * }
 */
export async function plainTools(provider: AgentSkillsProvider, caller: ToolCaller): Promise<PlainTool[]> {
  const { tools } = await provider.getContext(caller);
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: strictSchema(parameters),
    execute: (args, { signal } = {}) => {
      const call = { id: "", name, arguments: args };
      return answerCall(provider, call, signal === undefined ? caller : { ...caller, signal });
    },
  }));
}
