/**
 * Owns the formats that tools are offered in, and how calls and results look in each (CONTRACT.md §3). Data to data; never calls a tool,
 * never speaks to a provider.
 */
import { SkillsError } from "../model/errors.ts";
import type { JsonObject } from "../model/record.ts";
import type { ToolAnswer } from "./answers.ts";
import { strictSchema } from "./strict-schema.ts";
import type { ToolDefinition } from "./tools.ts";

/** The formats. `json-schema` is nobody's in particular. */
export const TOOL_FORMATS = ["openai-responses", "openai-chat", "anthropic", "mcp", "ai-sdk", "json-schema"] as const;

/** One of {@link TOOL_FORMATS}. */
export type ToolFormat = (typeof TOOL_FORMATS)[number];

/** A call in any format. */
export interface ToolCall {
  /** The provider's own id; empty in `mcp`, whose calls have none. */
  readonly id: string;
  readonly name: string;
  /** As they came: a value, or JSON text. */
  readonly arguments: unknown;
}

/** Tells whether a text names a format. */
export function isToolFormat(text: string): text is ToolFormat {
  return TOOL_FORMATS.some((format) => format === text);
}

/**
 * Tool definitions as a provider takes them.
 *
 * @example
 * const { instructions, tools } = await provider.getContext(caller);
 * await openai.responses.create({ model, instructions, input, tools: toolsIn("openai-responses", tools) });
 */
export function toolsIn(format: ToolFormat, tools: readonly ToolDefinition[]): JsonObject[] {
  return tools.map((tool) => toolIn(format, tool));
}

function toolIn(format: ToolFormat, { name, description, parameters }: ToolDefinition): JsonObject {
  switch (format) {
    case "openai-responses":
      return { type: "function", name, description, parameters: strictSchema(parameters), strict: true };
    case "openai-chat":
      return {
        type: "function",
        function: { name, description, parameters: strictSchema(parameters), strict: true },
      };
    case "anthropic":
      return { name, description, input_schema: strictSchema(parameters), strict: true };
    case "mcp":
      return {
        name,
        description,
        inputSchema: parameters,
        annotations: { readOnlyHint: !name.endsWith("run_skill_script") },
      };
    case "ai-sdk":
      return { type: "function", name, description, inputSchema: strictSchema(parameters), strict: true };
    case "json-schema":
      return { name, description, parameters };
  }
}

/** Reads one call. Throws `request-invalid` for what is none in this format. */
export function callIn(format: ToolFormat, value: unknown): ToolCall {
  const call = asObject(value);
  switch (format) {
    case "openai-responses":
      return toolCall(format, call.call_id, call.name, call.arguments);
    case "openai-chat": {
      const { name, arguments: args } = asObject(call.function);
      return toolCall(format, call.id, name, args);
    }
    case "anthropic":
      return toolCall(format, call.id, call.name, call.input);
    case "mcp":
      return toolCall(format, "", call.name, call.arguments ?? {});
    case "ai-sdk":
      return toolCall(format, call.toolCallId, call.toolName, call.input);
    case "json-schema":
      return toolCall(format, call.id, call.name, call.arguments);
  }
}

/** A result as the provider takes it back. */
export function resultIn(format: ToolFormat, call: ToolCall, answer: ToolAnswer): Record<string, unknown> {
  const { content, is_error } = answer;
  switch (format) {
    case "openai-responses":
      return { type: "function_call_output", call_id: call.id, output: content };
    case "openai-chat":
      return { role: "tool", tool_call_id: call.id, content };
    case "anthropic":
      return { type: "tool_result", tool_use_id: call.id, content, is_error };
    case "mcp":
      return { content: [{ type: "text", text: content }], structuredContent: answer, isError: is_error };
    case "ai-sdk":
      return { toolCallId: call.id, toolName: call.name, output: aiSdkOutput(answer) };
    case "json-schema":
      return { id: call.id, ...answer };
  }
}

/** What the AI SDK calls a tool's output: text, said to be an error where it is one. */
function aiSdkOutput({ content, is_error }: ToolAnswer): { type: "text" | "error-text"; value: string } {
  return { type: is_error ? "error-text" : "text", value: content };
}

function toolCall(format: ToolFormat, id: unknown, name: unknown, args: unknown): ToolCall {
  if (typeof id !== "string" || typeof name !== "string") {
    throw new SkillsError("request-invalid", `Cannot read a tool call: it is none in the format ${format}`);
  }
  return { id, name, arguments: args };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
