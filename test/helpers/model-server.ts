/**
 * Stands in for a model provider: an HTTP server on 127.0.0.1 that asks for tools as a model would, turn by turn, in the form of the path
 * that is asked. It takes back only results that its own calls wait for, as the real ones do.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

/** A call that the model makes. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: object;
}

/** What it was sent: tools by name, and the results of the turn before by call id. */
export interface ModelTurn {
  readonly tools: readonly string[];
  readonly results: Readonly<Record<string, string>>;
}

/** A running stand-in. */
export interface ModelServer {
  readonly url: string;
  readonly turns: ModelTurn[];
  readonly server: Server;
}

type Message = Record<string, unknown>;

/** Starts one that makes these calls, one list a turn, and ends with a text. */
export async function startModelServer(script: readonly (readonly ModelCall[])[]): Promise<ModelServer> {
  const turns: ModelTurn[] = [];
  let waiting: string[] = [];
  const server = createServer(async (request, response) => {
    const api = APIS[request.url ?? ""];
    const body = (await json(request)) as Message;
    const turn = api?.read(body);
    const answered = Object.keys(turn?.results ?? {});
    if (api === undefined || turn === undefined || waiting.some((id) => !answered.includes(id))) {
      response.writeHead(400, { "Content-Type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: `calls without results: ${waiting}`, type: "invalid_request_error" } }),
      );
      return;
    }
    turns.push(turn);
    const calls = script[turns.length - 1] ?? [];
    waiting = calls.map((_, i) => `call_${turns.length}_${i}`);
    const named = calls.map((call, i) => ({ id: waiting[i] ?? "", ...call }));
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(api.write(named)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, turns, server };
}

interface Api {
  read(body: Message): ModelTurn;
  write(calls: readonly (ModelCall & { readonly id: string })[]): unknown;
}

const DONE = "All done.";
const list = (value: unknown): Message[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const APIS: Readonly<Record<string, Api>> = {
  "/v1/chat/completions": {
    read: ({ tools, messages }) => ({
      tools: list(tools).map((tool) => String((tool.function as Message).name)),
      results: Object.fromEntries(
        list(messages)
          .filter(({ role }) => role === "tool")
          .map(({ tool_call_id, content }) => [String(tool_call_id), text(content)]),
      ),
    }),
    write: (calls) => {
      const tool_calls = calls.map(({ id, name, arguments: args }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }));
      const message = {
        role: "assistant",
        content: calls.length > 0 ? null : DONE,
        refusal: null,
        ...(calls.length > 0 ? { tool_calls } : {}),
      };
      const choice = { index: 0, message, logprobs: null, finish_reason: calls.length > 0 ? "tool_calls" : "stop" };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return { id: "c", object: "chat.completion", created: 1, model: "m", choices: [choice], usage };
    },
  },
  "/v1/responses": {
    read: ({ tools, input }) => ({
      tools: list(tools).map((tool) => String(tool.name)),
      results: Object.fromEntries(
        list(input)
          .filter(({ type }) => type === "function_call_output")
          .map(({ call_id, output }) => [String(call_id), text(output)]),
      ),
    }),
    write: (calls) => {
      const output = calls.map(({ id, name, arguments: args }) => ({
        type: "function_call",
        id: `f${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(args),
        status: "completed",
      }));
      const content = [{ type: "output_text", text: DONE, annotations: [] }];
      const message = { type: "message", id: "m", role: "assistant", status: "completed", content };
      return {
        id: "r",
        object: "response",
        created_at: 1,
        model: "m",
        status: "completed",
        output: calls.length > 0 ? output : [message],
      };
    },
  },
  "/v1/messages": {
    read: ({ tools, messages }) => ({
      tools: list(tools).map((tool) => String(tool.name)),
      results: Object.fromEntries(
        list(messages)
          .flatMap(({ content }) => list(content))
          .filter(({ type }) => type === "tool_result")
          .map(({ tool_use_id, content }) => [String(tool_use_id), text(content)]),
      ),
    }),
    write: (calls) => {
      const uses = calls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input }));
      const content =
        calls.length > 0 ? [{ type: "text", text: "Let me see." }, ...uses] : [{ type: "text", text: DONE }];
      const usage = { input_tokens: 1, output_tokens: 1 };
      const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
      return {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content,
        stop_reason,
        stop_sequence: null,
        usage,
      };
    },
  },
};
