/** Owns letting in the platform's operator, and nobody else. */
import type { Context } from "hono";
import { SkillsError } from "../model/errors.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { identify } from "./caller.ts";
import type { Caller, EdgeEnv, EdgeParts } from "./parts.ts";

/** The caller, who has a platform token with `admin`. Throws `scope-missing` for any other. */
export async function operator(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Caller> {
  const caller = await identify(c.req.raw, parts, "admin");
  if (caller.grant.tenant !== PLATFORM_LAYER) {
    throw new SkillsError("scope-missing", 'Cannot do this: only a platform token with the scope "admin" may');
  }
  return caller;
}
