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

/** Makes the app of an edge. Made once per isolate. */
export function createEdgeApp(parts: EdgeParts): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();

  app.use(async (c, next) => {
    const requestId = crypto.randomUUID();
    c.set("requestId", requestId);
    if (parts.hosts === "loopback") {
      requireLoopback(c.req.raw);
    }
    await next();
    c.res.headers.set("X-Request-Id", requestId);
  });
  for (const { method, path, handler } of ROUTES) {
    app.on(method, path, (c) => handler(c, parts));
    app.all(path, (c) => refuseMethod(c, method));
  }
  app.notFound((c) =>
    problem(c, new SkillsError("route-not-found", `Cannot find ${c.req.path}: no such route`), parts),
  );
  app.onError((error, c) => problem(c, toSkillsError(error), parts));
  return app;
}

function refuseMethod(c: Context<EdgeEnv>, allowed: Route["method"]): Response {
  const methods = allowed === "GET" ? "GET, HEAD" : allowed;
  const error = new SkillsError("method-not-allowed", `Cannot ${c.req.method} ${c.req.path}: it takes ${methods}`);
  const response = problemResponse(error, c.get("requestId"));
  response.headers.set("Allow", methods);
  return response;
}

function problem(c: Context<EdgeEnv>, error: SkillsError, parts: EdgeParts): Response {
  const requestId = c.get("requestId") ?? crypto.randomUUID();
  const response = problemResponse(error, requestId);
  if (response.status >= 500) {
    parts.log.error(error.message, {
      request_id: requestId,
      code: error.code,
      cause: String(error.cause ?? ""),
      stack: error.stack,
    });
  }
  return response;
}
