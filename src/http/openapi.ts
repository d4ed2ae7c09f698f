/** Owns the OpenAPI 3.1 document: what each route takes and answers, from the schemas that the routes read with. */
import { TOOL_FORMATS } from "../provider/formats.ts";
import { toolDefinitions } from "../provider/tools.ts";
import { decisionSchema } from "./approval-routes.ts";
import { COMPONENTS } from "./openapi-components.ts";
import { DEPLOYING_OPERATIONS } from "./openapi-deploying.ts";
import { OPERATOR_OPERATIONS } from "./openapi-operator.ts";
import {
  bytes,
  header,
  type Json,
  json,
  NONE,
  type Operation,
  query,
  ref,
  requestSchema,
  TENANT,
  text,
} from "./openapi-parts.ts";
import { putSkillSchema } from "./runtime-routes.ts";
import { putSecretSchema } from "./secret-routes.ts";
import { newTokenSchema } from "./token-routes.ts";
import { toolCallsSchema } from "./tool-calls.ts";

const FORMAT = query(
  "format",
  { enum: TOOL_FORMATS, default: "json-schema" },
  "Whose form tools, calls and results have",
);
const BUNDLE = header("X-Skills-Bundle", "The snapshot to stay on, from an earlier answer");

function toolOperation(name: string): Operation {
  const tool = toolDefinitions({ search: true, read: true, run: true }).find((item) => item.name === name);
  const isRun = name === "run_skill_script";
  const { properties = {}, ...rest } = (tool?.parameters ?? {}) as Json & { properties?: Json };
  const own = isRun ? COMPONENTS.RunExtras : {};
  const keys = isRun ? [header("Idempotency-Key", "A repeat under the same key gets the first answer")] : [];
  return {
    summary: tool?.description ?? name,
    scope: isRun ? "run" : "read",
    parameters: [BUNDLE, ...keys],
    body: { ...rest, properties: { ...(properties as Json), ...own }, additionalProperties: true },
    answer: json(ref("ToolAnswer")),
  };
}

/** Every operation, by `METHOD path` as route-table.ts has it. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  "GET /healthz": {
    summary: "That the edge answers, and which formats of bundles it reads",
    scope: null,
    answer: json(ref("Health")),
  },
  "GET /openapi.json": { summary: "This document", scope: null, answer: json({ type: "object" }) },
  "GET /docs": { summary: "This document as a page", scope: null, answer: bytes("text/html") },
  "GET /console": {
    summary: "A page for people: approvals, skills, deploys, tokens",
    scope: null,
    answer: bytes("text/html"),
  },
  "GET /console/console.css": { summary: "How it looks", scope: null, answer: bytes("text/css") },
  "GET /console/console.js": { summary: "What it does", scope: null, answer: bytes("text/javascript") },
  "GET /console/approvals/:id": {
    summary: "The page where one approval is decided: `url` of a call that waits",
    scope: null,
    answer: bytes("text/html"),
  },
  "GET /v1/context": {
    summary: "What an agent is given before a conversation",
    scope: "read",
    parameters: [FORMAT, BUNDLE],
    answer: json(ref("Context")),
  },
  "GET /v1/skills": {
    summary: "The skills, in pages",
    scope: "read",
    parameters: [
      query("query", text, "Words to search for"),
      query("limit", { type: "integer", minimum: 1, maximum: 1_000, default: 100 }, "Skills of a page"),
      query("cursor", text, "`next_cursor` of the page before"),
      BUNDLE,
      TENANT,
    ],
    answer: json(ref("SkillPage")),
  },
  "GET /v1/skills/:name": {
    summary: "All of a skill but its bytes",
    scope: "read",
    parameters: [BUNDLE, TENANT],
    answer: json(ref("Skill")),
  },
  "GET /v1/skills/:name/archive.tar.gz": {
    summary: "A skill as tar in gzip",
    scope: "read",
    parameters: [BUNDLE, TENANT],
    answer: bytes("application/gzip"),
  },
  "GET /v1/skills/:name/archive.zip": {
    summary: "A skill as zip",
    scope: "read",
    parameters: [BUNDLE, TENANT],
    answer: bytes("application/zip"),
  },
  "GET /v1/skills/:name/files/:path": {
    summary: "The bytes of a file",
    scope: "read",
    parameters: [
      BUNDLE,
      TENANT,
      header("Range", "One range of bytes"),
      header("If-None-Match", "Entity tags that are known"),
    ],
    answer: bytes("*/*"),
  },
  "GET /.well-known/agent-skills/index.json": {
    summary: "Discovery 0.2.0",
    scope: "public",
    answer: json({ type: "object" }),
  },
  "GET /.well-known/agent-skills/:archive": {
    summary: "A skill that discovery lists as an archive",
    scope: "public",
    answer: bytes("application/gzip", "application/zip"),
  },
  "GET /.well-known/agent-skills/:name/SKILL.md": {
    summary: "A skill that discovery lists as one file",
    scope: "public",
    answer: bytes("text/markdown"),
  },
  "GET /.well-known/skills/index.json": {
    summary: "Discovery, the older form",
    scope: "public",
    answer: json({ type: "object" }),
  },
  "GET /.well-known/skills/:name/:path": {
    summary: "A file of a skill, at the older address",
    scope: "public",
    answer: bytes("*/*"),
  },
  "GET /llms.txt": { summary: "The skills as a page of links", scope: "public", answer: bytes("text/plain") },
  "GET /mcp": { summary: "There are no sessions here: 405", scope: "read", answer: NONE, status: 405 },
  "POST /mcp": {
    summary: "Model Context Protocol, streamable HTTP, stateless",
    scope: "read",
    body: { type: "object" },
    answer: json({ type: "object" }),
  },
  "DELETE /mcp": { summary: "There are no sessions here: 405", scope: "read", answer: NONE, status: 405 },
  "POST /v1/tool-calls": {
    summary: "Answers the tool calls of a provider's message in the provider's own form",
    scope: "read",
    parameters: [FORMAT, BUNDLE, header("X-Skills-Session", "With it the id of a call is its Idempotency-Key")],
    body: { oneOf: [{ type: "array" }, requestSchema(toolCallsSchema)] },
    answer: json({ type: "array", items: { type: "object" } }),
  },
  "PUT /v1/runtime/skills/:name": {
    summary: "Puts a skill for the caller's tenant",
    scope: "write",
    body: requestSchema(putSkillSchema),
    answer: json(ref("PutSkill")),
  },
  "DELETE /v1/runtime/skills/:name": {
    summary: "Deletes a skill put at run time",
    scope: "write",
    answer: NONE,
    status: 204,
  },
  ...DEPLOYING_OPERATIONS,
  ...OPERATOR_OPERATIONS,
  "GET /v1/tokens": {
    summary: "The tenant's tokens, without their secrets",
    scope: "admin",
    parameters: [TENANT],
    answer: json(ref("TokenList")),
  },
  "POST /v1/tokens": {
    summary: "Makes a token; it is told once",
    scope: "admin",
    parameters: [TENANT],
    body: requestSchema(newTokenSchema),
    answer: json(ref("NewToken")),
    status: 201,
  },
  "DELETE /v1/tokens/:id": {
    summary: "Revokes a token",
    scope: "admin",
    parameters: [TENANT],
    answer: NONE,
    status: 204,
  },
  "GET /v1/secrets": {
    summary: "Names and dates of the tenant's secrets; values never come out",
    scope: "admin",
    parameters: [TENANT],
    answer: json(ref("SecretList")),
  },
  "PUT /v1/secrets/:name": {
    summary: "Keeps a secret for network rules, in place of one of its name",
    scope: "admin",
    parameters: [TENANT],
    body: requestSchema(putSecretSchema),
    answer: NONE,
    status: 204,
  },
  "DELETE /v1/secrets/:name": {
    summary: "Forgets a secret",
    scope: "admin",
    parameters: [TENANT],
    answer: NONE,
    status: 204,
  },
  "GET /.well-known/oauth-protected-resource": {
    summary: "Where tokens come from (RFC 9728)",
    scope: null,
    answer: json({ type: "object" }),
  },
  "GET /.well-known/oauth-protected-resource/mcp": {
    summary: "The same, of /mcp",
    scope: null,
    answer: json({ type: "object" }),
  },
  "GET /v1/approvals": {
    summary: "The calls that wait for a person",
    scope: "approve",
    parameters: [TENANT],
    answer: json(ref("ApprovalList")),
  },
  "GET /v1/approvals/:id": {
    summary: "One approval; also for the token that asked",
    scope: "approve",
    parameters: [
      query("wait", { type: "number", minimum: 0, maximum: 30 }, "Seconds to wait for its decision"),
      TENANT,
    ],
    answer: json(ref("Approval")),
  },
  "POST /v1/approvals/:id": {
    summary: "Decides; never by the token that asked",
    scope: "approve",
    parameters: [TENANT],
    body: requestSchema(decisionSchema),
    answer: json(ref("Approval")),
  },
  "POST /v1/tools/load_skill": toolOperation("load_skill"),
  "POST /v1/tools/search_skills": toolOperation("search_skills"),
  "POST /v1/tools/read_skill_resource": toolOperation("read_skill_resource"),
  "POST /v1/tools/run_skill_script": toolOperation("run_skill_script"),
};

/** The document. */
export function openApiDocument(): Json & { readonly paths: Readonly<Record<string, Json>> } {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [key, operation] of Object.entries(OPERATIONS)) {
    const [method = "", route = ""] = key.split(" ");
    const names = [...route.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const path = route.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationObject(operation, names) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "edge-skills", version: "1", description: "Agent Skills for hosted agents" },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(COMPONENTS).filter(([name]) => name !== "RunExtras")),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function operationObject(
  { summary, scope, parameters = [], body, bytes: isBytes, answer, status = 200 }: Operation,
  names: readonly (string | undefined)[],
): Json {
  const own = names.map((name) => ({ name, in: "path", required: true, schema: text }));
  const problem = {
    description: "What went wrong",
    content: { "application/problem+json": { schema: ref("Problem") } },
  };
  const good = { description: "Done", ...(Object.keys(answer).length > 0 ? { content: answer } : {}) };
  const needs = scope === null || scope === "public" ? "" : `Needs the scope \`${scope}\`.`;
  return {
    summary,
    description: scope === "public" ? "Without a token: what the operator made public." : needs,
    security: scope === null ? [] : scope === "public" ? [{}, { token: [] }] : [{ token: [] }],
    parameters: [...own, ...parameters],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    ...(isBytes ? { requestBody: { required: true, content: bytes("application/octet-stream") } } : {}),
    responses: { [String(status)]: good, default: problem },
  };
}
