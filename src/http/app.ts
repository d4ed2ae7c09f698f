/** Owns the HTTP face of the edge: every route, and that whatever goes wrong leaves as a problem with the request's id. */
import { type Context, Hono } from "hono";
import { SkillsError, toSkillsError } from "../model/errors.ts";
import { allowOrigin, optionsResponse } from "./cors.ts";
import type { Handler } from "./handler.ts";
import { requireLoopback } from "./loopback.ts";
import { tellIssuer } from "./oauth.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { logFailure, problemResponse } from "./problem.ts";
import { ROUTES } from "./route-table.ts";
import { traceOf } from "./trace.ts";

/** Methods that a route is asked with most; what is asked with another one is looked for once more (`refusalOf`). */
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Makes the app of an edge. Made once per isolate. */
export function createEdgeApp(parts: EdgeParts): Hono<EdgeEnv> {
  const app = new Hono<EdgeEnv>();
  const refusals = new Map<string, Handler>();
  for (const { path, on } of ROUTES.flatMap((route) => [route, { ...route, path: `/c/:channel${route.path}` }])) {
    // One handler for each method and path: hono calls a single handler directly, several through a chain of promises.
    for (const [method, handler] of Object.entries(on)) {
      app.on(method, path, (c) => serve(c, parts, handler));
    }
    const refuse = refuseMethod(Object.keys(on));
    refusals.set(path, refuse);
    app.on(
      METHODS.filter((method) => !(method in on)),
      path,
      (c) => serve(c, parts, refuse),
    );
  }
  app.notFound((c) => serve(c, parts, refusalOf(app, c.req.path, refusals) ?? refuseRoute));
  return app;
}

/** Answers a request, or tells what went wrong; both carry the request's id. */
async function serve(c: Context<EdgeEnv>, parts: EdgeParts, handler: Handler): Promise<Response> {
  const requestId = crypto.randomUUID();
  const begun = Date.now();
  c.set("requestId", requestId);
  try {
    if (parts.hosts === "loopback") {
      requireLoopback(c.req.raw);
    }
    const response = await handler(c, parts);
    response.headers.set("X-Request-Id", requestId);
    response.headers.set("Server-Timing", `edge;dur=${Date.now() - begun}`);
    tellTrace(c.req.raw, response);
    return parts.origins.length > 0 ? forOrigin(c, response, parts) : response;
  } catch (error) {
    const refused = problem(toSkillsError(error), requestId, parts);
    tellIssuer(c.req.raw, refused, parts.issuers);
    tellTrace(c.req.raw, refused);
    return forOrigin(c, refused, parts);
  }
}

function tellTrace(request: Request, response: Response): void {
  const trace = traceOf(request);
  if (trace !== null) {
    response.headers.set("traceresponse", trace);
  }
}

function forOrigin(c: Context<EdgeEnv>, response: Response, { origins }: EdgeParts): Response {
  allowOrigin(c.req.raw, response, origins);
  return response;
}

/** For a method that nobody asks with (`TRACE`, `PROPFIND`): what refuses it where there is such a path; null where there is none. */
function refusalOf(app: Hono<EdgeEnv>, path: string, refusals: ReadonlyMap<string, Handler>): Handler | null {
  // Every path takes OPTIONS, so this finds its route.
  const [[match]] = app.router.match("OPTIONS", path);
  return (match && refusals.get(match[0][1].path)) ?? null;
}

async function refuseRoute(c: Context<EdgeEnv>): Promise<Response> {
  throw new SkillsError("route-not-found", `Cannot find ${c.req.path}: no such route; /docs has all there are`);
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
