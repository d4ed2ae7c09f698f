/** Owns the routes of the edge as handlers over a verified caller and one snapshot. What each answers is CONTRACT.md §3. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import type { ToolAnswer } from "../provider/answers.ts";
import { findResource } from "../provider/find-in-skill.ts";
import { toolsIn } from "../provider/formats.ts";
import { searchSkills } from "../provider/search.ts";
import type { ToolName } from "../provider/tools.ts";
import type { Snapshot } from "../tenancy/snapshots.ts";
import { answerBody } from "./answer-body.ts";
import { factsFor, factsOfSkill, record } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { identify, toolCaller } from "./caller.ts";
import { fileResponse } from "./file-response.ts";
import { callOnce } from "./keyed-call.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { jsonRead, readHeaders, snapshotHeaders } from "./respond.ts";
import { enter, enterFor, look } from "./scene.ts";
import { skillDocument } from "./skill-document.ts";
import { listed, nextCursor, parsePage } from "./skill-list.ts";
import { formatOf } from "./tool-calls.ts";

/** `GET /v1/context` */
export async function getContext(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { caller, snapshot, provider } = await enter(c, parts, "read", null);
  const format = formatOf(c.req.query("format"));
  const { instructions, tools } = await provider.getContext(toolCaller(caller, c.req.raw));
  const body = { bundle: snapshot.name, instructions, tools: toolsIn(format, tools) };
  return jsonRead(c.req.raw, body, readHeaders(snapshot));
}

/** `GET /v1/skills` */
export async function listSkills(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const page = parsePage(new URL(c.req.url).searchParams);
  const { caller, snapshot, provider } = await enterFor(c, parts, page.bundle);
  const { skills } = await provider.getCatalogue(toolCaller(caller, c.req.raw));
  const matches = await searchSkills(skills, page.query);
  const body = {
    bundle: snapshot.name,
    skills: matches.slice(page.start, page.start + page.limit).map(listed),
    next_cursor: nextCursor(snapshot.name, page, matches.length),
  };
  return jsonRead(c.req.raw, body, readHeaders(snapshot));
}

/** `GET /v1/skills/{name}` */
export async function getSkill(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { caller, tenant, snapshot, provider, occasion } = await enterFor(c, parts, null);
  const catalogue = await provider.getCatalogue(toolCaller(caller, c.req.raw));
  const skill = catalogue.find(c.req.param("name") ?? "");
  record(parts.audit, "load", occasion, { ...factsFor(tenant, occasion, null), ...factsOfSkill(skill) });
  return jsonRead(c.req.raw, { bundle: snapshot.name, ...(await skillDocument(skill)) }, readHeaders(snapshot));
}

/** `GET /v1/skills/{name}/files/{path}` */
export async function getFile(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { caller, tenant, snapshot, provider, occasion } = await enterFor(c, parts, null);
  const catalogue = await provider.getCatalogue(toolCaller(caller, c.req.raw));
  const skill = catalogue.find(c.req.param("name") ?? "");
  const path = c.req.param("path") ?? "";
  const manifest = await skill.getManifest();
  const file = manifest?.name === path ? manifest : await findResource(skill, path);
  if (file.digest === null) {
    throw new SkillsError("resource-not-found", `Cannot give "${path}": it is not a file`);
  }
  const bytes = await file.read();
  record(parts.audit, "read", occasion, { ...factsFor(tenant, occasion, file.name), ...factsOfSkill(skill) });
  const asked = { request: c.req.raw, requestId: c.get("requestId") };
  return fileResponse(asked, { ...file, digest: file.digest, bytes }, readHeaders(snapshot));
}

/** `POST /v1/tools/{tool}`, for tools that read. */
export function callTool(name: Exclude<ToolName, "run_skill_script">) {
  return async (c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> => {
    const { caller, snapshot, provider } = await enter(c, parts, "read", null);
    const args = await readJsonObject(c.req.raw);
    return toolResponse(await provider.callTool(name, args, toolCaller(caller, c.req.raw)), snapshot);
  };
}

/** `POST /v1/tools/run_skill_script` */
export async function runScript(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "run");
  const scene = await look(c, parts, caller, null);
  const args = await readJsonObject(c.req.raw);
  const keyed = { key: c.req.header("Idempotency-Key") ?? null, arguments: args };
  const answer = await callOnce(parts.book, scene, keyed, () =>
    scene.provider.callTool("run_skill_script", args, toolCaller(caller, c.req.raw)),
  );
  return toolResponse(answer, scene.snapshot);
}

function toolResponse(answer: ToolAnswer, snapshot: Snapshot): Response {
  const headers = snapshotHeaders(snapshot);
  headers["Content-Type"] = "application/json";
  return new Response(answerBody(answer, snapshot.name), { headers });
}
