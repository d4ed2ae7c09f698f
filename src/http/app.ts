/** Owns the HTTP face of the edge: which path leads where, and that whatever goes wrong leaves as a problem with the request's id. */
import { type Context, Hono } from "hono";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { requireLoopback } from "./loopback.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { problemResponse } from "./problem.ts";
import { callTool, getContext, getFile, getSkill, listSkills } from "./routes.ts";

type Handler = (c: Context<EdgeEnv>, parts: EdgeParts) => Promise<Response>;

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handler: Handler;
}

const ROUTES: readonly Route[] = [
  { method: "GET", path: "/healthz", handler: async () => Response.json({ status: "ok" }) },
  { method: "GET", path: "/v1/context", handler: getContext },
  { method: "GET", path: "/v1/skills", handler: listSkills },
  { method: "GET", path: "/v1/skills/:name", handler: getSkill },
  { method: "GET", path: "/v1/skills/:name/files/:path{.+}", handler: getFile },
  { method: "POST", path: "/v1/tools/load_skill", handler: callTool("load_skill", "read") },
  { method: "POST", path: "/v1/tools/search_skills", handler: callTool("search_skills", "read") },
  { method: "POST", path: "/v1/tools/read_skill_resource", handler: callTool("read_skill_resource", "read") },
  { method: "POST", path: "/v1/tools/run_skill_script", handler: callTool("run_skill_script", "run") },
];

/** Methods a route may be asked with; one it does not take is refused by name. */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Makes the app of an edge. Made once per isolate. */
export function createEdgeApp(parts: EdgeParts): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  for (const { method, path, handler } of ROUTES) {
    // One handler for each method and path: hono calls a single handler directly, several through a chain of promises.
    app.on(method, path, (c) => serve(c, parts, handler));
    const others = METHODS.filter((other) => other !== method);
    app.on(others, path, (c) => serve(c, parts, refuseMethod(method)));
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
    return response;
  } catch (error) {
    return problem(toSkillsError(error), requestId, parts);
  }
}

async function refuseRoute(c: Context<EdgeEnv>): Promise<Response> {
  throw new SkillsError("route-not-found", `Cannot find ${c.req.path}: no such route`);
}

function refuseMethod(allowed: Route["method"]): Handler {
  const methods = allowed === "GET" ? "GET, HEAD" : allowed;
  return async (c) => {
    const error = new SkillsError("method-not-allowed", `Cannot ${c.req.method} ${c.req.path}: it takes ${methods}`);
    const response = problemResponse(error, c.get("requestId"));
    response.headers.set("Allow", methods);
    return response;
  };
}

function problem(error: SkillsError, requestId: string, parts: EdgeParts): Response {
  const response = problemResponse(error, requestId);
  if (response.status >= 500) {
    const { code, message, stack, cause } = error;
    parts.log.error(message, { request_id: requestId, code, cause: String(cause ?? ""), stack });
  }
  return response;
}
