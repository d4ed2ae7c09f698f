/** Owns `POST /v1/tool-calls`: the provider's own calls in, the provider's own results out, all on one snapshot (CONTRACT.md §3). */
import type { Context } from "hono";
import * as z from "zod/mini";
import { publicMessage, SkillsError, toSkillsError } from "../model/errors.ts";
import { wordsFor } from "../model/issue-words.ts";
import { mapOf } from "../model/list-schema.ts";
import type { ToolAnswer } from "../provider/answers.ts";
import { answerCall } from "../provider/dispatch.ts";
import { callIn, isToolFormat, resultIn, TOOL_FORMATS, type ToolCall, type ToolFormat } from "../provider/formats.ts";
import { readJson } from "./body.ts";
import { identify, toolCaller } from "./caller.ts";
import { callOnce, type KeyedRequest } from "./keyed-call.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";
import { logFailure } from "./problem.ts";
import { snapshotHeaders } from "./respond.ts";
import { look } from "./scene.ts";

/** Characters of a call's id that count. */
const MAX_KEY = 200;

/** How many calls one request may hold. */
const MAX_CALLS = 128;

/** The type of a call where a provider's list holds other things too (text, reasoning): these are passed over, so that a whole turn can be sent. */
const CALL_TYPES: Partial<Readonly<Record<ToolFormat, string>>> = {
  "openai-responses": "function_call",
  anthropic: "tool_use",
};

/** The body, where it is not the array alone. */
export const toolCallsSchema = z.object({
  calls: z.array(z.unknown()),
  bundle: z.nullish(z.string()),
  approvals: z.nullish(mapOf(z.string())),
});

/** The format that a request asks for. Throws `format-unknown`. */
export function formatOf(text: string | undefined): ToolFormat {
  const format = text ?? "json-schema";
  if (!isToolFormat(format)) {
    throw new SkillsError("format-unknown", `Cannot use this format: known are ${TOOL_FORMATS.join(", ")}`);
  }
  return format;
}

/** `POST /v1/tool-calls` */
export async function callTools(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "read");
  const format = formatOf(c.req.query("format"));
  const { calls, bundle, approvals } = readBody(await readJson(c.req.raw));
  const read = readCalls(format, calls);
  const scene = await look(c, parts, caller, bundle ?? null);
  const { snapshot, provider } = scene;
  const asking = toolCaller(caller, c.req.raw);

  const outcomes = await Promise.allSettled(
    read.map((call) => {
      const make = () => answerCall(provider, call, asking, approvalFor(call, approvals ?? {}));
      return provider.toolOf(call.name) === "run_skill_script"
        ? callOnce(parts.book, scene, keyed(call, caller), make)
        : make();
    }),
  );
  const failures = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  if (failures.length > 0 && failures.length === outcomes.length) {
    throw failures[0];
  }
  const results = outcomes.map((outcome, i) => {
    const answer = outcome.status === "fulfilled" ? outcome.value : brokenAnswer(outcome.reason, c, parts);
    const whole: ToolAnswer & { bundle: string } = { ...answer, bundle: snapshot.name };
    return resultIn(format, read[i] as ToolCall, whole);
  });
  return Response.json(results, { headers: snapshotHeaders(snapshot) });
}

function readBody(body: unknown): z.infer<typeof toolCallsSchema> {
  const parsed = z.safeParse(toolCallsSchema, Array.isArray(body) ? { calls: body } : body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `"${issue.path.join(".")}"` : "the request body";
    const needed = issue && issue.path.length > 0 ? wordsFor(issue) : "an array of calls, or an object with calls,";
    throw new SkillsError("request-invalid", `Cannot use ${where}: ${needed} is needed`);
  }
  if (parsed.data.calls.length > MAX_CALLS) {
    throw new SkillsError("request-invalid", `Cannot answer so many calls at once: at most ${MAX_CALLS} are taken`);
  }
  return parsed.data;
}

function readCalls(format: ToolFormat, calls: readonly unknown[]): ToolCall[] {
  const type = CALL_TYPES[format];
  return calls
    .filter((item) => type === undefined || (typeOf(item) ?? type) === type)
    .map((item) => callIn(format, item));
}

/** Null for what has no type, and is left to be refused. */
function typeOf(item: unknown): string | null {
  const isTyped = typeof item === "object" && item !== null && "type" in item && typeof item.type === "string";
  return isTyped ? (item.type as string) : null;
}

/** Within a session the provider's own id of a call is its key: a host that sends a turn again gets the same run. */
function keyed({ id, arguments: args }: ToolCall, { session }: Caller): KeyedRequest {
  return { key: session === null || id === "" ? null : `call:${id}`.slice(0, MAX_KEY), arguments: args };
}

function approvalFor({ id }: ToolCall, approvals: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(approvals, id) ? approvals[id] : undefined;
}

/** The answer of a call that the service could not make, among others that it could. The log has the cause. */
function brokenAnswer(thrown: unknown, c: Context<EdgeEnv>, parts: EdgeParts): ToolAnswer {
  const error = toSkillsError(thrown);
  const message = publicMessage(error);
  logFailure(error, c.get("requestId"), parts);
  return { is_error: true, content: `Error: ${message}`, error: { code: error.code, message, candidates: [] } };
}
