import type Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage, ToolResultPart } from "ai";
import type OpenAI from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { ask, createToken, deploySkills } from "./support/edge.ts";
import { problem, problemOf } from "./support/problem.ts";

let token = "";
let reader = "";
let bundle = "";

beforeAll(async () => {
  await deploySkills("platform", [
    {
      name: "notes",
      body: "Be kind.\n",
      files: [{ path: "scripts/run.py", content: "print(1)\n" }],
      scripts: ["scripts/run.py"],
    },
  ]);
  token = await createToken("caller");
  reader = await createToken("caller", ["read"]);
  bundle = (await ask(token, "/v1/skills")).headers.get("X-Skills-Bundle") ?? "";
});

function send(format: string, body: unknown, as = token): Promise<Response> {
  return ask(as, `/v1/tool-calls?format=${format}`, { method: "POST", body: JSON.stringify(body) });
}

const LOADED =
  '<skill_content name="notes">\nBe kind.\n</skill_content>\n<skill_resources>\n' +
  '  <skill_resource name="scripts/run.py" media_type="text/plain" size="9"/>\n</skill_resources>\n<skill_scripts>\n' +
  '  <skill_script name="scripts/run.py" runtime="python">{"type":"object"}</skill_script>\n</skill_scripts>\n';
const UNKNOWN = 'Error: Cannot find skill "nots": no such skill\nKnown: "notes"';
const GOOD = { skill_name: "notes" };
const WRONG = { skill_name: "nots" };

describe("POST /v1/tool-calls", () => {
  it("openai-chat: results in the order of the calls, each with its id", async () => {
    const calls: OpenAI.Chat.ChatCompletionMessageFunctionToolCall[] = [
      { id: "c1", type: "function", function: { name: "load_skill", arguments: JSON.stringify(GOOD) } },
      { id: "c2", type: "function", function: { name: "load_skill", arguments: JSON.stringify(WRONG) } },
    ];
    const response = await send("openai-chat", calls);
    const results: OpenAI.Chat.ChatCompletionToolMessageParam[] = await response.json();
    expect([response.status, response.headers.get("X-Skills-Bundle"), results]).toEqual([
      200,
      bundle,
      [
        { role: "tool", tool_call_id: "c1", content: LOADED },
        { role: "tool", tool_call_id: "c2", content: UNKNOWN },
      ],
    ]);
  });

  it("openai-responses: takes a whole output, passing over what is no call", async () => {
    const output = [
      { type: "reasoning", id: "r", summary: [] },
      { type: "function_call", call_id: "c1", name: "load_skill", arguments: JSON.stringify(GOOD) },
      { type: "message", id: "m", role: "assistant", status: "completed", content: [] },
    ] satisfies OpenAI.Responses.ResponseOutputItem[];
    const results: OpenAI.Responses.ResponseInputItem.FunctionCallOutput[] = await (
      await send("openai-responses", output)
    ).json();
    expect(results).toEqual([{ type: "function_call_output", call_id: "c1", output: LOADED }]);
  });

  it("anthropic: takes a message's content; errors say so", async () => {
    const content: Anthropic.ContentBlockParam[] = [
      { type: "text", text: "Let me see." },
      { type: "tool_use", id: "t1", name: "load_skill", input: GOOD },
      { type: "tool_use", id: "t2", name: "no_such_tool", input: {} },
    ];
    const results: Anthropic.ToolResultBlockParam[] = await (await send("anthropic", content)).json();
    expect(results).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: LOADED, is_error: false },
      {
        type: "tool_result",
        tool_use_id: "t2",
        content: 'Error: Cannot call "no_such_tool": there is no such tool',
        is_error: true,
      },
    ]);
  });

  it("ai-sdk: results are parts of a tool message", async () => {
    const calls = [{ type: "tool-call", toolCallId: "a1", toolName: "load_skill", input: GOOD }];
    const [result]: Omit<ToolResultPart, "type">[] = await (await send("ai-sdk", calls)).json();
    const message: ModelMessage | null = result
      ? { role: "tool", content: [{ type: "tool-result", ...result }] }
      : null;
    expect(message?.content).toEqual([
      { type: "tool-result", toolCallId: "a1", toolName: "load_skill", output: { type: "text", value: LOADED } },
    ]);
  });

  it("mcp and json-schema: the whole answer, with the snapshot's name", async () => {
    const answer = { is_error: false, content: LOADED, skill: { name: "notes", digest: expect.any(String) }, bundle };
    expect(await (await send("mcp", [{ name: "load_skill", arguments: GOOD }])).json()).toEqual([
      { content: [{ type: "text", text: LOADED }], structuredContent: answer, isError: false },
    ]);
    expect(await (await send("json-schema", [{ id: "j", name: "load_skill", arguments: GOOD }])).json()).toEqual([
      { id: "j", ...answer },
    ]);
  });

  it("takes calls in an object, on the snapshot that it names", async () => {
    const calls = [{ id: "j", name: "load_skill", arguments: GOOD }];
    expect((await send("json-schema", { calls, bundle })).status).toBe(200);
    const gone = await send("json-schema", { calls, bundle: `v1.none.none.${"0".repeat(32)}` });
    expect((await problemOf(gone)).body).toMatchObject({ code: "bundle-gone" });
  });

  it("runs for a token that may run, and for no other", async () => {
    const calls = [{ id: "r", name: "run_skill_script", arguments: { ...GOOD, script_name: "scripts/run.py" } }];
    expect(await (await send("json-schema", calls)).json()).toMatchObject([{ is_error: false, run: { exit_code: 0 } }]);
    expect(await (await send("json-schema", calls, reader)).json()).toMatchObject([
      { id: "r", is_error: true, error: { code: "scope-missing" } },
    ]);
  });

  it("answers no calls with no results", async () => {
    expect(await (await send("anthropic", [])).json()).toEqual([]);
  });

  it.each([
    [
      "xml",
      [],
      "format-unknown",
      "Format is not known",
      "Cannot use this format: known are openai-responses, openai-chat, anthropic, mcp, ai-sdk, json-schema",
    ],
    ["anthropic", {}, "request-invalid", "Request is not valid", 'Cannot use "calls": an array is needed'],
    [
      "anthropic",
      3,
      "request-invalid",
      "Request is not valid",
      "Cannot use the request body: an array of calls, or an object with calls, is needed",
    ],
    [
      "anthropic",
      [3],
      "request-invalid",
      "Request is not valid",
      "Cannot read a tool call: it is none in the format anthropic",
    ],
    [
      "openai-chat",
      [{ id: "x" }],
      "request-invalid",
      "Request is not valid",
      "Cannot read a tool call: it is none in the format openai-chat",
    ],
    [
      "mcp",
      Array.from({ length: 129 }, () => ({})),
      "request-invalid",
      "Request is not valid",
      "Cannot answer so many calls at once: at most 128 are taken",
    ],
  ])("refuses what is no tool call: %s %j", async (format, body, code, title, detail) => {
    expect(await problemOf(await send(format, body))).toEqual(problem(400, code, title, detail));
  });
});

describe("GET /v1/context?format=F", () => {
  const toolsIn = async (format: string) => {
    const context: { tools: unknown[]; bundle: string } = await (
      await ask(token, `/v1/context?format=${format}`)
    ).json();
    expect(context.bundle).toBe(bundle);
    return context.tools;
  };

  it("gives tools as each provider's package takes them", async () => {
    const chat = (await toolsIn("openai-chat")) as OpenAI.Chat.ChatCompletionFunctionTool[];
    const responses = (await toolsIn("openai-responses")) as OpenAI.Responses.FunctionTool[];
    const anthropic = (await toolsIn("anthropic")) as Anthropic.Tool[];
    const names = ["load_skill", "read_skill_resource", "run_skill_script"];
    expect(chat.map((tool) => [tool.type, tool.function.name, tool.function.strict])).toEqual(
      names.map((name) => ["function", name, true]),
    );
    expect(responses.map((tool) => [tool.type, tool.name, tool.strict])).toEqual(
      names.map((name) => ["function", name, true]),
    );
    expect(anthropic.map((tool) => [tool.name, tool.input_schema.type])).toEqual(names.map((name) => [name, "object"]));
    expect(await toolsIn("mcp")).toEqual(
      names.map((name) => expect.objectContaining({ name, inputSchema: expect.any(Object) })),
    );
    expect(await toolsIn("ai-sdk")).toEqual(
      names.map((name) => expect.objectContaining({ name, inputSchema: expect.any(Object) })),
    );
  });
});
