/** Owns `/mcp` over HTTP: who asks, from which page, and what a refusal says. What is answered is the MCP door's. */
import type { Context } from "hono";
import { factsOfSkill, record } from "./audited.ts";
import { identify, toolCaller } from "./caller.ts";
import { requireOrigin } from "./cors.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { logFailure } from "./problem.ts";
import { look } from "./scene.ts";

/** `/mcp`, by any method: the protocol says which it takes. */
export async function serveMcp(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  if (parts.hosts === "any") {
    // A local edge has refused every origin but this machine's already.
    requireOrigin(c.req.raw, parts.origins);
  }
  const caller = await identify(c.req.raw, parts, "read");
  const { snapshot, provider, occasion } = await look(c, parts, caller, null);
  const answered = await parts.mcp(c.req.raw, {
    provider,
    caller: toolCaller(caller, c.req.raw),
    bundle: snapshot.name,
    onFailure: (error) => logFailure(error, c.get("requestId"), parts),
    onRead: (skill, path) => record(parts.audit, "read", occasion, { ...factsOfSkill(skill), item: path }),
  });
  // An answer of the handler may be one whose headers cannot be changed.
  const response = new Response(answered.body, answered);
  response.headers.set("Cache-Control", "private, no-store");
  response.headers.set("X-Skills-Bundle", snapshot.name);
  if (snapshot.stale) {
    response.headers.set("X-Skills-Stale", "true");
  }
  return response;
}
