/** Owns the discovery documents over HTTP: for a token what it may see, for everybody the layers that the operator made public. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import { type Catalogue, catalogueOf } from "../provider/catalogue.ts";
import { findResource } from "../provider/find-in-skill.ts";
import { ARCHIVE_TYPES, type ArchiveKind, makeArchive } from "./archive.ts";
import { factsFor, factsOfSkill, record } from "./audited.ts";
import { toolCaller } from "./caller.ts";
import { discoveryIndex, isDiscoverable, llmsText, olderIndex } from "./discovery.ts";
import { fileResponse } from "./file-response.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { jsonRead, readHeaders } from "./respond.ts";
import { enter, enterFor } from "./scene.ts";

/** What one who discovers sees, and how long it may be kept by whom. */
interface Discovered {
  readonly catalogue: Catalogue;
  readonly headers: Record<string, string>;
}

/** For anybody, whoever keeps it, and for so short that with the isolate's memory it is no more than the 10 s of a recall. */
const PUBLIC_HEADERS = {
  "Cache-Control": "public, max-age=5",
  "Access-Control-Allow-Origin": "*",
  Vary: "Authorization",
};

async function discover(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Discovered> {
  if (c.req.header("Authorization") === undefined && parts.publicLayers.length > 0) {
    const skills = await parts.snapshots.resolvePublic(parts.publicLayers);
    return { catalogue: catalogueOf(skills), headers: { ...PUBLIC_HEADERS } };
  }
  const { caller, snapshot, provider } = await enter(c, parts, "read", null);
  return { catalogue: await provider.getCatalogue(toolCaller(caller, c.req.raw)), headers: readHeaders(snapshot) };
}

/** `GET /.well-known/agent-skills/index.json` */
export async function getDiscovery(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { catalogue, headers } = await discover(c, parts);
  return jsonRead(c.req.raw, await discoveryIndex(catalogue, parts.cache), headers);
}

/** `GET /.well-known/skills/index.json` */
export async function getOlderDiscovery(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { catalogue, headers } = await discover(c, parts);
  return jsonRead(c.req.raw, await olderIndex(catalogue), headers);
}

/** `GET /llms.txt` */
export async function getLlmsText(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { catalogue, headers } = await discover(c, parts);
  return new Response(llmsText(catalogue), { headers: { ...headers, "Content-Type": "text/plain; charset=utf-8" } });
}

/** `GET /.well-known/agent-skills/{name}.tar.gz` · `.zip` */
export async function getDiscoveredArchive(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { catalogue, headers } = await discover(c, parts);
  const [, name = "", kind] = /^(.*)\.(tar\.gz|zip)$/.exec(c.req.param("archive") ?? "") ?? [];
  const skill = discovered(catalogue, name);
  return sendArchive(c, parts, skill, kind === "zip" ? "zip" : "tar.gz", headers);
}

/** `GET /.well-known/agent-skills/{name}/SKILL.md`, and any file at the older address. */
export async function getDiscoveredFile(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { catalogue, headers } = await discover(c, parts);
  const skill = discovered(catalogue, c.req.param("name") ?? "");
  const path = c.req.param("path") ?? "SKILL.md";
  const file = path === "SKILL.md" ? await skill.getManifest() : await findResource(skill, path);
  if (file === null || file.digest === null || (file.name !== path && path !== "SKILL.md")) {
    throw new SkillsError("resource-not-found", "Cannot find this file: the skill has none of this name");
  }
  const asked = { request: c.req.raw, requestId: c.get("requestId") };
  const { name, text, digest } = file;
  const mediaType = path === "SKILL.md" ? "text/markdown" : file.mediaType;
  return fileResponse(asked, { name, text, digest, mediaType, bytes: await file.read() }, headers);
}

/** `GET /v1/skills/{name}/archive.tar.gz` · `.zip` */
export function getArchive(kind: ArchiveKind) {
  return async (c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> => {
    const { caller, tenant, snapshot, provider, occasion } = await enterFor(c, parts, null);
    const catalogue = await provider.getCatalogue(toolCaller(caller, c.req.raw));
    const skill = catalogue.find(c.req.param("name") ?? "");
    const facts = factsFor(tenant, occasion, `archive.${kind}`);
    record(parts.audit, "read", occasion, { ...facts, ...factsOfSkill(skill) });
    return sendArchive(c, parts, skill, kind, readHeaders(snapshot));
  };
}

/** A skill by the very name that discovery lists it under. */
function discovered(catalogue: Catalogue, name: string): AgentSkill {
  const skill = catalogue.skills.find((item) => item.name === name);
  if (skill === undefined || !isDiscoverable(skill)) {
    throw new SkillsError("skill-not-found", "Cannot find this skill: discovery lists none of this name");
  }
  return skill;
}

async function sendArchive(
  c: Context<EdgeEnv>,
  { cache }: EdgeParts,
  skill: AgentSkill,
  kind: ArchiveKind,
  headers: Record<string, string>,
): Promise<Response> {
  const { bytes, digest } = await makeArchive(skill, kind, cache);
  const asked = { request: c.req.raw, requestId: c.get("requestId") };
  const file = { name: `${skill.name}.${kind}`, mediaType: ARCHIVE_TYPES[kind], text: false, digest, bytes };
  return fileResponse(asked, file, headers);
}
