/** Owns the OAuth resource side (RFC 9728): where tokens for this resource come from. Issues none and redirects nobody. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import { SCOPES } from "../model/token.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";

/** Where the metadata of `/mcp` lies. */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";

/** `GET /.well-known/oauth-protected-resource` and the same for `/mcp` */
export async function getResourceMetadata(c: Context<EdgeEnv>, { issuers }: EdgeParts): Promise<Response> {
  if (issuers.length === 0) {
    throw new SkillsError("route-not-found", "Cannot tell where tokens come from: no issuer is set up here");
  }
  const body = {
    resource: new URL("/mcp", c.req.url).href,
    authorization_servers: issuers,
    bearer_methods_supported: ["header"],
    scopes_supported: SCOPES.filter((scope) => scope !== "admin"),
    resource_name: "edge-skills",
  };
  return Response.json(body, {
    headers: { "Cache-Control": "public, max-age=300", "Access-Control-Allow-Origin": "*" },
  });
}

/** Tells a client that was refused where to get a token. */
export function tellIssuer(request: Request, response: Response, issuers: readonly string[]): void {
  const challenge = response.headers.get("WWW-Authenticate");
  if (challenge === null || issuers.length === 0) {
    return;
  }
  const address = new URL(`${RESOURCE_METADATA}/mcp`, request.url).href;
  const separator = challenge === "Bearer" ? " " : ", ";
  response.headers.set("WWW-Authenticate", `${challenge}${separator}resource_metadata="${address}"`);
}
