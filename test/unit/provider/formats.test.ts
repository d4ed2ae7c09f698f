import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { generateText, stepCountIs } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../../src/model/record.ts";
import { aiSdkTools } from "../../../src/provider/ai-sdk-tools.ts";
import { dispatchToolCalls, isSkillCall } from "../../../src/provider/dispatch.ts";
import { callIn, resultIn, TOOL_FORMATS, toolsIn } from "../../../src/provider/formats.ts";
import { plainTools } from "../../../src/provider/plain-tools.ts";
import { AgentSkillsProvider, ANY_CALLER } from "../../../src/provider/provider.ts";
import { AgentInMemorySkillsSource } from "../../../src/sources/in-memory-source.ts";
import { serveSite } from "../../helpers/http-site.ts";
import { plainSkill } from "../../helpers/plain-skills.ts";
import { StandIn } from "../../helpers/stand-in.ts";

const skill = plainSkill("converter")
  .addResource("table", "kg=2.205lb")
  .addScript("convert", ({ value }) => Number(value) * 2);
const provider = new AgentSkillsProvider(new AgentInMemorySkillsSource([skill]));
const { instructions, tools } = await provider.getContext(ANY_CALLER);

/** Everything in a schema that the strict modes do not take. */
function breaches(schema: JsonValue, at = "$"): string[] {
  if (typeof schema !== "object" || schema === null) {
    return [];
  }
  if (Array.isArray(schema)) {
    return schema.flatMap((item: JsonValue, i) => breaches(item, `${at}[${i}]`));
  }
  const object = schema as JsonObject;
  const properties = Object.keys((object.properties ?? {}) as JsonObject);
  const isObject = object.type === "object";
  return [
    ...(isObject && object.additionalProperties !== false ? [`${at} is open`] : []),
    ...(isObject && String(properties) !== String(object.required) ? [`${at} has optional properties`] : []),
    ...["minimum", "maximum", "default", "oneOf", "allOf"]
      .filter((key) => key in object)
      .map((key) => `${at} has ${key}`),
    ...(at !== "$" && !at.endsWith(".properties") && !("type" in object) && !("anyOf" in object)
      ? [`${at} has no type`]
      : []),
    ...Object.entries(object)
      .filter(([key]) => key === "properties" || key === "anyOf" || key === "items" || at.endsWith(".properties"))
      .flatMap(([key, value]) => breaches(value, `${at}.${key}`)),
  ];
}

describe("toolsIn()", () => {
  it.each([
    { format: "openai-responses", schema: (tool: JsonObject) => tool.parameters },
    { format: "openai-chat", schema: (tool: JsonObject) => (tool.function as JsonObject).parameters },
    { format: "anthropic", schema: (tool: JsonObject) => tool.input_schema },
    { format: "ai-sdk", schema: (tool: JsonObject) => tool.inputSchema },
  ] as const)("gives schemas that are valid in strict mode: $format", ({ format, schema }) => {
    const found = toolsIn(format, tools).map((tool) => breaches(schema(tool) ?? null));
    expect(found).toEqual([[], [], []]);
  });

  it("lets the object form of arguments travel as JSON text in strict mode, and as an object elsewhere", () => {
    const forms = (schema: JsonValue | undefined) => {
      const { properties } = schema as { properties: { arguments: { anyOf: { type: string }[] } } };
      return properties.arguments.anyOf.map(({ type }) => type);
    };
    expect(forms(toolsIn("anthropic", tools)[2]?.input_schema)).toEqual(["array", "string", "null"]);
    expect(forms(toolsIn("mcp", tools)[2]?.inputSchema)).toEqual(["object", "array", "string", "null"]);
  });
});

describe("callIn() and resultIn()", () => {
  const answer = { is_error: true, content: "no" };
  const cases = {
    "openai-chat": [
      { id: "1", type: "function", function: { name: "t", arguments: "{}" } },
      { role: "tool", tool_call_id: "1", content: "no" },
    ],
    "openai-responses": [
      { type: "function_call", call_id: "1", name: "t", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "no" },
    ],
    anthropic: [
      { type: "tool_use", id: "1", name: "t", input: {} },
      { type: "tool_result", tool_use_id: "1", content: "no", is_error: true },
    ],
    mcp: [
      { name: "t", arguments: {} },
      { content: [{ type: "text", text: "no" }], structuredContent: answer, isError: true },
    ],
    "ai-sdk": [
      { toolCallId: "1", toolName: "t", input: {} },
      { toolCallId: "1", toolName: "t", output: { type: "error-text", value: "no" } },
    ],
    "json-schema": [
      { id: "1", name: "t", arguments: {} },
      { id: "1", ...answer },
    ],
  } as const;

  it.each(TOOL_FORMATS)("read a call and write its result: %s", (format) => {
    const [call, result] = cases[format];
    expect(callIn(format, call).name).toBe("t");
    expect(resultIn(format, callIn(format, call), answer)).toEqual(result);
  });
});

describe("dispatchToolCalls()", () => {
  it("answers several calls in their places, those that fail too", async () => {
    const calls = [
      { id: "1", name: "load_skill", arguments: '{"skill_name":"converter"}' },
      { id: "2", name: "load_skill", arguments: "{" },
      { id: "3", name: "other_tool", arguments: {} },
    ];
    const results = await dispatchToolCalls(provider, "json-schema", calls, ANY_CALLER);
    expect(
      results.map(({ id, is_error, error }) => [id, is_error, (error as { code?: string } | undefined)?.code]),
    ).toEqual([
      ["1", false, undefined],
      ["2", true, "arguments-invalid"],
      ["3", true, "request-invalid"],
    ]);
    expect(calls.map((call) => isSkillCall(provider, "json-schema", call))).toEqual([true, true, false]);
  });
});

describe("plainTools()", () => {
  it("are functions with a schema", async () => {
    const [load] = await plainTools(provider, ANY_CALLER);
    expect(load?.name).toBe("load_skill");
    expect((await load?.execute({ skill_name: "converter" }))?.content).toContain("Do converter.");
  });
});

/** A server of one's own that offers the library's tools in the form of MCP. */
function mcpServer(): McpServer {
  const mcp = new McpServer({ name: "own", version: "1.0.0" }, { capabilities: { tools: {} }, instructions });
  const definitions = toolsIn("mcp", tools) as unknown as { name: string; inputSchema: { type: "object" } }[];
  mcp.server.setRequestHandler("tools/list", () => ({ tools: definitions }));
  mcp.server.setRequestHandler("tools/call", async ({ params }) => {
    const [result] = await dispatchToolCalls(provider, "mcp", [params], ANY_CALLER);
    return result as unknown as { content: [] };
  });
  return mcp;
}

/** What a model would do: load the skill, run its script, say the result. */
const STEPS = [
  { name: "load_skill", args: { skill_name: "converter" } },
  { name: "run_skill_script", args: { skill_name: "converter", script_name: "convert", arguments: '{"value":21}' } },
] as const;

describe("a full loop of tools", () => {
  const standIn = new StandIn();
  beforeAll(() => standIn.start());
  afterAll(() => standIn.stop());

  it("over OpenAI's Responses API with its SDK", async () => {
    standIn.answers = [
      ...STEPS.map(({ name, args }, i) => ({
        output: [
          {
            type: "function_call",
            id: `f${i}`,
            call_id: `c${i}`,
            name,
            arguments: JSON.stringify(args),
            status: "completed",
          },
        ],
      })),
      {
        output: [
          {
            type: "message",
            id: "m",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: "42", annotations: [] }],
          },
        ],
      },
    ].map((body, i) => ({ id: `r${i}`, object: "response", status: "completed", ...body }));
    const client = new OpenAI({ apiKey: "none", baseURL: standIn.url });
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: "double 21" }];
    const definitions = toolsIn("openai-responses", tools) as unknown as OpenAI.Responses.Tool[];
    let text = "";
    for (let turn = 0; turn < 5 && text === ""; turn++) {
      const response = await client.responses.create({ model: "stand-in", instructions, input, tools: definitions });
      const calls = response.output.filter((item) => item.type === "function_call");
      const results = await dispatchToolCalls(provider, "openai-responses", calls, ANY_CALLER);
      input.push(...([...response.output, ...results] as unknown as OpenAI.Responses.ResponseInput));
      text = response.output_text;
    }
    expect([text, JSON.stringify(standIn.bodies.at(-1))]).toEqual([
      "42",
      expect.stringContaining("exit code: 0\\nstdout:\\n42"),
    ]);
  });

  it("over OpenAI's Chat API with its SDK", async () => {
    standIn.answers = [
      ...STEPS.map(({ name, args }, i) => ({
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      })),
      { role: "assistant", content: "42" },
    ].map((message, i) => ({
      id: `r${i}`,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: "stop", message }],
    }));
    const client = new OpenAI({ apiKey: "none", baseURL: standIn.url });
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: instructions },
      { role: "user", content: "double 21" },
    ];
    const definitions = toolsIn("openai-chat", tools) as unknown as OpenAI.ChatCompletionTool[];
    let text: string | null = null;
    for (let turn = 0; turn < 5 && text === null; turn++) {
      const { choices } = await client.chat.completions.create({ model: "stand-in", messages, tools: definitions });
      const message = choices[0]?.message ?? { role: "assistant", content: "", refusal: null };
      const results = await dispatchToolCalls(provider, "openai-chat", message.tool_calls ?? [], ANY_CALLER);
      messages.push(message, ...(results as unknown as OpenAI.ChatCompletionMessageParam[]));
      text = message.content;
    }
    expect([text, messages.map(({ role }) => role)]).toEqual([
      "42",
      ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"],
    ]);
    expect(messages[5]?.content).toBe("exit code: 0\nstdout:\n42");
  });

  it("over Anthropic's Messages API with its SDK", async () => {
    standIn.answers = [
      ...STEPS.map(({ name, args }, i) => ({
        stop_reason: "tool_use",
        content: [{ type: "tool_use", id: `t${i}`, name, input: args }],
      })),
      { stop_reason: "end_turn", content: [{ type: "text", text: "42" }] },
    ].map((body, i) => ({
      id: `m${i}`,
      type: "message",
      role: "assistant",
      model: "stand-in",
      usage: { input_tokens: 1, output_tokens: 1 },
      ...body,
    }));
    const client = new Anthropic({ apiKey: "none", baseURL: standIn.url });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "double 21" }];
    const definitions = toolsIn("anthropic", tools) as unknown as Anthropic.Tool[];
    let reason: string | null = "tool_use";
    for (let turn = 0; turn < 5 && reason === "tool_use"; turn++) {
      const message = await client.messages.create({
        model: "stand-in",
        max_tokens: 100,
        system: instructions,
        messages,
        tools: definitions,
      });
      const calls = message.content.filter((block) => block.type === "tool_use");
      const results = await dispatchToolCalls(provider, "anthropic", calls, ANY_CALLER);
      messages.push({ role: "assistant", content: message.content });
      if (results.length > 0) {
        messages.push({ role: "user", content: results as unknown as Anthropic.ToolResultBlockParam[] });
      }
      reason = message.stop_reason;
    }
    expect([reason, messages[4]?.content]).toEqual([
      "end_turn",
      [{ type: "tool_result", tool_use_id: "t1", content: "exit code: 0\nstdout:\n42", is_error: false }],
    ]);
  });

  it("with the AI SDK", async () => {
    standIn.answers = [
      ...STEPS.map(({ name, args }, i) => ({
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
        },
      })),
      { finish_reason: "stop", message: { role: "assistant", content: "42" } },
    ].map((choice, i) => ({
      id: `r${i}`,
      created: 0,
      model: "stand-in",
      choices: [{ index: 0, ...choice }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }));
    const model = createOpenAICompatible({ name: "stand-in", baseURL: standIn.url })("stand-in");
    const { text, steps } = await generateText({
      model,
      system: instructions,
      tools: await aiSdkTools(provider, ANY_CALLER),
      stopWhen: stepCountIs(5),
      prompt: "double 21",
    });
    expect([text, steps[1]?.toolResults.map(({ output }) => output)]).toEqual(["42", ["exit code: 0\nstdout:\n42"]]);
  });

  it("over MCP with the official client and server, for a model that is asked through another API", async () => {
    const url = await serveSite((request) => createMcpHandler(mcpServer).fetch(request));
    const mcp = new Client({ name: "agent", version: "1.0.0" });
    await mcp.connect(new StreamableHTTPClientTransport(new URL(url)));
    const { tools: offered } = await mcp.listTools();
    const told = mcp.getInstructions() ?? "";
    const definitions = offered.map(
      ({ name, description = "", inputSchema }): OpenAI.ChatCompletionTool => ({
        type: "function",
        function: { name, description, parameters: inputSchema },
      }),
    );
    standIn.answers = [
      ...STEPS.map(({ name, args }, i) => ({
        role: "assistant",
        content: null,
        tool_calls: [{ id: `c${i}`, type: "function", function: { name, arguments: JSON.stringify(args) } }],
      })),
      { role: "assistant", content: "42" },
    ].map((message, i) => ({ id: `r${i}`, choices: [{ index: 0, finish_reason: "stop", message }] }));
    const model = new OpenAI({ apiKey: "none", baseURL: standIn.url });
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: told },
      { role: "user", content: "double 21" },
    ];
    const results: unknown[] = [];
    let text: string | null = null;
    for (let turn = 0; turn < 5 && text === null; turn++) {
      const { choices } = await model.chat.completions.create({ model: "stand-in", messages, tools: definitions });
      const message = choices[0]?.message ?? { role: "assistant", content: "", refusal: null };
      messages.push(message);
      for (const call of message.tool_calls ?? []) {
        if (call.type !== "function") {
          continue;
        }
        const { name, arguments: args } = call.function;
        const { content, isError } = await mcp.callTool({ name, arguments: JSON.parse(args) });
        const said = content.map((part) => (part.type === "text" ? part.text : "")).join("");
        results.push([name, isError, said]);
        messages.push({ role: "tool", tool_call_id: call.id, content: said });
      }
      text = message.content;
    }
    await mcp.close();
    expect([text, offered.map(({ name }) => name), told]).toEqual(["42", tools.map(({ name }) => name), instructions]);
    expect(results).toEqual([
      ["load_skill", false, expect.stringContaining("Do converter.")],
      ["run_skill_script", false, "exit code: 0\nstdout:\n42"],
    ]);
    expect(JSON.stringify(standIn.bodies.at(-1))).toContain("exit code: 0\\nstdout:\\n42");
  });
});
