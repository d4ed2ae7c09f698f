import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import Anthropic from "@anthropic-ai/sdk";
import { generateText, jsonSchema, type ModelMessage, type ToolSet, tool } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunnerProcess, startRunnerProcess } from "../../src/deploy/runner-process.ts";
import { layerOf } from "../helpers/deployable.ts";
import { type LocalEdge, startLocalEdge } from "../helpers/local-edge.ts";
import { type ModelServer, startModelServer } from "../helpers/model-server.ts";

const RUN = {
  name: "run_skill_script",
  arguments: { skill_name: "sums", script_name: "scripts/sum.py", arguments: '["2","3"]' },
};

/** Two loads at once, one of them by a wrong name; then a run that a person has to approve; then the same run again. */
const SCRIPT = [
  [
    { name: "load_skill", arguments: { skill_name: "sums", offset: null, limit: null } },
    { name: "load_skill", arguments: { skill_name: "sum", offset: null, limit: null } },
  ],
  [RUN],
  [RUN],
];

let runner: RunnerProcess;
let edge: LocalEdge;
let token = "";
let decider = "";

beforeAll(async () => {
  runner = await startRunnerProcess();
  edge = await startLocalEdge({ approval: { run_skill_script: "ask" } }, runner);
  const files = [{ path: "scripts/sum.py", content: "import sys\nprint(sum(map(int, sys.argv[1:])))\n" }];
  await edge.deploy([
    await layerOf("platform", [
      { name: "sums", body: "Add with scripts/sum.py.\n", files, scripts: ["scripts/sum.py"] },
    ]),
  ]);
  token = await edge.token("platform", ["read", "run"]);
  decider = await edge.token("platform", ["approve"]);
});

afterAll(async () => {
  await edge.stop();
  await runner.stop();
});

async function ask<T>(path: string, body?: unknown, as = token): Promise<T> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(edge.url + path, { headers: { Authorization: `Bearer ${as}` }, ...init });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

/** Answers calls over HTTP; whatever waits for a person is approved afterwards, by another token. */
async function answered<T>(format: string, calls: readonly unknown[]): Promise<T[]> {
  const results = await ask<T[]>(`/v1/tool-calls?format=${format}`, calls);
  const { approvals } = await ask<{ approvals: { id: string }[] }>("/v1/approvals", undefined, decider);
  for (const { id } of approvals) {
    await ask(`/v1/approvals/${id}`, { decision: "approve" }, decider);
  }
  return results;
}

interface Context<Tool> {
  readonly instructions: string;
  readonly tools: Tool[];
}

const PROMPT = "What is 2 + 3?";

const LOOPS: Readonly<Record<string, (model: ModelServer) => Promise<string>>> = {
  async "openai-chat"({ url }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const { instructions, tools } = await ask<Context<OpenAI.Chat.ChatCompletionTool>>(
      "/v1/context?format=openai-chat",
    );
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [
      { role: "system", content: instructions },
      { role: "user", content: PROMPT },
    ];
    for (;;) {
      const { choices } = await client.chat.completions.create({ model: "m", messages, tools });
      const message = choices[0]?.message;
      if (!message?.tool_calls) {
        return message?.content ?? "";
      }
      messages.push(
        message,
        ...(await answered<OpenAI.Chat.ChatCompletionToolMessageParam>("openai-chat", message.tool_calls)),
      );
    }
  },
  async "openai-responses"({ url }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
    const { instructions, tools } = await ask<Context<OpenAI.Responses.Tool>>("/v1/context?format=openai-responses");
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: PROMPT }];
    for (;;) {
      const response = await client.responses.create({ model: "m", instructions, input, tools });
      if (!response.output.some((item) => item.type === "function_call")) {
        return response.output_text;
      }
      const results = await answered<OpenAI.Responses.ResponseInputItem.FunctionCallOutput>(
        "openai-responses",
        response.output,
      );
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]), ...results);
    }
  },
  async anthropic({ url }) {
    const client = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
    const { instructions, tools } = await ask<Context<Anthropic.Tool>>("/v1/context?format=anthropic");
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: PROMPT }];
    for (;;) {
      const { content, stop_reason } = await client.messages.create({
        model: "m",
        max_tokens: 100,
        system: instructions,
        messages,
        tools,
      });
      if (stop_reason !== "tool_use") {
        return content.map((block) => (block.type === "text" ? block.text : "")).join("");
      }
      const results = await answered<Anthropic.ToolResultBlockParam>("anthropic", content);
      messages.push({ role: "assistant", content }, { role: "user", content: results });
    }
  },
  async "ai-sdk"({ url }) {
    const provider = createOpenAICompatible({ name: "stand-in", baseURL: `${url}/v1` });
    const { instructions, tools: definitions } =
      await ask<Context<{ name: string; description: string; inputSchema: Parameters<typeof jsonSchema>[0] }>>(
        "/v1/context?format=ai-sdk",
      );
    const tools: ToolSet = Object.fromEntries(
      definitions.map(({ name, description, inputSchema }) => [
        name,
        tool({ description, inputSchema: jsonSchema(inputSchema) }),
      ]),
    );
    const messages: ModelMessage[] = [{ role: "user", content: PROMPT }];
    for (;;) {
      const { text, toolCalls, response } = await generateText({
        model: provider("m"),
        instructions,
        messages,
        tools,
        maxRetries: 0,
      });
      if (toolCalls.length === 0) {
        return text;
      }
      const results = await answered<{ toolCallId: string; toolName: string; output: { type: "text"; value: string } }>(
        "ai-sdk",
        toolCalls,
      );
      messages.push(...response.messages, {
        role: "tool",
        content: results.map((result) => ({ type: "tool-result", ...result })),
      });
    }
  },
};

describe("a whole tool loop with the provider's own package", () => {
  it.each(Object.entries(LOOPS))("%s: parallel calls, a wrong name, an approval", async (_, loop) => {
    const model = await startModelServer(SCRIPT);
    try {
      expect(await loop(model)).toBe("All done.");
    } finally {
      model.server.close();
    }
    const { turns } = model;
    expect(turns.map((turn) => turn.tools)).toEqual(
      turns.map(() => ["load_skill", "read_skill_resource", "run_skill_script"]),
    );
    const results = turns.at(-1)?.results ?? {};
    expect(Object.keys(results)).toEqual(["call_1_0", "call_1_1", "call_2_0", "call_3_0"]);
    expect(results.call_1_0).toContain("Add with scripts/sum.py.");
    expect(results.call_1_1).toContain("Cannot find skill");
    expect(results.call_2_0).toContain("A person has to approve this call");
    expect(results.call_3_0).toContain("stdout:");
    expect(results.call_3_0).toMatch(/exit code: 0[\s\S]*5/);
  });
});
