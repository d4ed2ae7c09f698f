/** Owns whose things a request is about, where the platform's operator may look after others. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import { isTenantName, PLATFORM_LAYER } from "../model/layer.ts";
import { type Grant, hasScope } from "../model/token.ts";
import type { EdgeEnv } from "./parts.ts";

/**
 * The caller's own tenant; a platform token with `admin` may name another with `?tenant=`. Throws `scope-missing` for any other token that
 * does, in the same words whether or not there is such a tenant.
 */
export function tenantOf(c: Context<EdgeEnv>, grant: Grant): string {
  const asked = c.req.query("tenant");
  if (asked === undefined || asked === grant.tenant) {
    return grant.tenant;
  }
  if (grant.tenant !== PLATFORM_LAYER || !hasScope(grant, "admin")) {
    throw new SkillsError(
      "scope-missing",
      'Cannot do this for another tenant: only a platform token with the scope "admin" may name one',
    );
  }
  if (!isTenantName(asked)) {
    throw new SkillsError("request-invalid", 'Cannot use this "tenant": it is not a tenant\'s name');
  }
  return asked;
}
