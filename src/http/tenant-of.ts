/** Owns whose things a request is about, where the platform's operator may look after others. */
import type { Context } from "hono";
import { isTenantName, PLATFORM_LAYER } from "../model/layer.ts";
import { type Grant, hasScope } from "../model/token.ts";
import type { EdgeEnv } from "./parts.ts";

/** The caller's own tenant; a platform token with `admin` may name another with `?tenant=`. */
export function tenantOf(c: Context<EdgeEnv>, grant: Grant): string {
  const asked = c.req.query("tenant");
  const mayPick = grant.tenant === PLATFORM_LAYER && hasScope(grant, "admin");
  return mayPick && asked !== undefined && isTenantName(asked) ? asked : grant.tenant;
}
