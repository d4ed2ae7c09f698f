/** Owns the HTTP face of the edge: which path leads where, and that whatever goes wrong leaves as a problem with the request's id. */
import { type Context, Hono } from "hono";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { decideApproval, getApproval, listApprovals } from "./approval-routes.ts";
import { allowOrigin, optionsResponse } from "./cors.ts";
import { DISCOVERY, OLDER_DISCOVERY } from "./discovery.ts";
import {
  getArchive,
  getDiscoveredArchive,
  getDiscoveredFile,
  getDiscovery,
  getLlmsText,
  getOlderDiscovery,
} from "./discovery-routes.ts";
import { requireLoopback } from "./loopback.ts";
import { serveMcp } from "./mcp-route.ts";
import { getResourceMetadata, RESOURCE_METADATA, tellIssuer } from "./oauth.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { logFailure, problemResponse } from "./problem.ts";
import { callTool, getContext, getFile, getSkill, listSkills, runScript } from "./routes.ts";
import { deleteSkill, putSkill } from "./runtime-routes.ts";
import { createToken, listTokens, revokeToken } from "./token-routes.ts";
import { callTools } from "./tool-calls.ts";

type Handler = (c: Context<EdgeEnv>, parts: EdgeParts) => Promise<Response>;

/** A path and what it does for each method it takes. */
interface Route {
  readonly path: string;
  readonly on: Readonly<Record<string, Handler>>;
}

const ROUTES: readonly Route[] = [
  { path: "/healthz", on: { GET: async () => Response.json({ status: "ok" }) } },
  { path: "/v1/context", on: { GET: getContext } },
  { path: "/v1/skills", on: { GET: listSkills } },
  { path: "/v1/skills/:name", on: { GET: getSkill } },
  { path: "/v1/skills/:name/archive.tar.gz", on: { GET: getArchive("tar.gz") } },
  { path: "/v1/skills/:name/archive.zip", on: { GET: getArchive("zip") } },
  { path: "/v1/skills/:name/files/:path{.+}", on: { GET: getFile } },
  { path: `${DISCOVERY}/index.json`, on: { GET: getDiscovery } },
  { path: `${DISCOVERY}/:archive{[^/]+\\.(?:tar\\.gz|zip)}`, on: { GET: getDiscoveredArchive } },
  { path: `${DISCOVERY}/:name/SKILL.md`, on: { GET: getDiscoveredFile } },
  { path: `${OLDER_DISCOVERY}/index.json`, on: { GET: getOlderDiscovery } },
  { path: `${OLDER_DISCOVERY}/:name/:path{.+}`, on: { GET: getDiscoveredFile } },
  { path: "/llms.txt", on: { GET: getLlmsText } },
  { path: "/mcp", on: { GET: serveMcp, POST: serveMcp, DELETE: serveMcp } },
  { path: "/v1/tool-calls", on: { POST: callTools } },
  { path: "/v1/runtime/skills/:name", on: { PUT: putSkill, DELETE: deleteSkill } },
  { path: "/v1/tokens", on: { GET: listTokens, POST: createToken } },
  { path: "/v1/tokens/:id", on: { DELETE: revokeToken } },
  { path: RESOURCE_METADATA, on: { GET: getResourceMetadata } },
  { path: `${RESOURCE_METADATA}/mcp`, on: { GET: getResourceMetadata } },
  { path: "/v1/approvals", on: { GET: listApprovals } },
  { path: "/v1/approvals/:id", on: { GET: getApproval, POST: decideApproval } },
  { path: "/v1/tools/load_skill", on: { POST: callTool("load_skill") } },
  { path: "/v1/tools/search_skills", on: { POST: callTool("search_skills") } },
  { path: "/v1/tools/read_skill_resource", on: { POST: callTool("read_skill_resource") } },
  { path: "/v1/tools/run_skill_script", on: { POST: runScript } },
];

/** Methods a route may be asked with; one it does not take is refused by name. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Makes the app of an edge. Made once per isolate. */
export function createEdgeApp(parts: EdgeParts): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  for (const { path, on } of ROUTES) {
    // One handler for each method and path: hono calls a single handler directly, several through a chain of promises.
    for (const [method, handler] of Object.entries(on)) {
      app.on(method, path, (c) => serve(c, parts, handler));
    }
    const refuse = refuseMethod(Object.keys(on));
    app.on(
      METHODS.filter((method) => !(method in on)),
      path,
      (c) => serve(c, parts, refuse),
    );
  }
  app.notFound((c) => serve(c, parts, refuseRoute));
  return app;
}

/** Answers a request, or tells what went wrong; both carry the request's id. */
async function serve(c: Context<EdgeEnv>, parts: EdgeParts, handler: Handler): Promise<Response> {
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  try {
    if (parts.hosts === "loopback") {
      requireLoopback(c.req.raw);
    }
    const response = await handler(c, parts);
    response.headers.set("X-Request-Id", requestId);
    return parts.origins.length > 0 ? forOrigin(c, response, parts) : response;
  } catch (error) {
    const refused = problem(toSkillsError(error), requestId, parts);
    tellIssuer(c.req.raw, refused, parts.issuers);
    return forOrigin(c, refused, parts);
  }
}

function forOrigin(c: Context<EdgeEnv>, response: Response, { origins }: EdgeParts): Response {
  allowOrigin(c.req.raw, response, origins);
  return response;
}

async function refuseRoute(c: Context<EdgeEnv>): Promise<Response> {
  throw new SkillsError("route-not-found", `Cannot find ${c.req.path}: no such route`);
}

function refuseMethod(allowed: readonly string[]): Handler {
  const methods = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return async (c, { origins }) => {
    if (c.req.method === "OPTIONS") {
      return optionsResponse(c.req.raw, methods, origins);
    }
    const error = new SkillsError("method-not-allowed", `Cannot ${c.req.method} ${c.req.path}: it takes ${methods}`);
    const response = problemResponse(error, c.get("requestId"));
    response.headers.set("Allow", methods);
    return response;
  };
}

function problem(error: SkillsError, requestId: string, parts: EdgeParts): Response {
  logFailure(error, requestId, parts);
  return problemResponse(error, requestId);
}
