/** Owns access tokens over HTTP: made, listed and revoked by a token with `admin`, for its own tenant. A token is told once; only its hash is kept. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { SkillsError } from "../model/errors.ts";
import { DEFAULT_CHANNEL, isChannelName } from "../model/layer.ts";
import { listOf } from "../model/list-schema.ts";
import { familyOfNew, hashToken, newToken, SCOPES, type TokenRecord } from "../model/token.ts";
import { factsFor, recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { identify, identifyNow } from "./caller.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { tenantOf } from "./tenant-of.ts";

/** The body of a `POST`. */
export const newTokenSchema = z.object({
  scopes: listOf(z.enum(SCOPES), 1),
  channel: z.optional(z.string().check(z.refine(isChannelName))),
  expires_in: z.optional(z.number().check(z.int(), z.minimum(1))),
});

const HEADERS = { "Cache-Control": "private, no-store" };

/** `POST /v1/tokens` */
export async function createToken(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identifyNow(c.req.raw, parts, "admin");
  const body = z.safeParse(newTokenSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      `Cannot make this token: "scopes" is a list of ${SCOPES.join(", ")}; "channel" a channel's name; "expires_in" seconds`,
    );
  }
  const { scopes, channel = DEFAULT_CHANNEL, expires_in } = body.data;
  const tenant = tenantOf(c, caller.grant);
  const token = newToken(tenant);
  const now = Date.now();
  const id = crypto.randomUUID();
  const made: TokenRecord = {
    id,
    hash: await hashToken(token),
    scopes: [...new Set(scopes)],
    channel,
    created_at: new Date(now).toISOString(),
    expires_at: expires_in === undefined ? null : new Date(now + expires_in * 1_000).toISOString(),
    minted_by: caller.grant.token,
    family: familyOfNew(caller.grant) ?? id,
  };
  const occasion = { caller, requestId: c.get("requestId") };
  await recorded(parts.audit, "token.create", occasion, factsFor(tenant, occasion, id), () =>
    parts.book.addToken(tenant, made),
  );
  return Response.json({ ...shown(tenant, made), token }, { status: 201, headers: HEADERS });
}

/** `GET /v1/tokens` */
export async function listTokens(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { grant } = await identify(c.req.raw, parts, "admin");
  const tenant = tenantOf(c, grant);
  const records = await parts.book.listTokens(tenant);
  return Response.json({ tokens: records.map((item) => shown(tenant, item)) }, { headers: HEADERS });
}

/** `DELETE /v1/tokens/{id}` */
export async function revokeToken(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "admin");
  const id = c.req.param("id") ?? "";
  const tenant = tenantOf(c, caller.grant);
  const occasion = { caller, requestId: c.get("requestId") };
  await recorded(parts.audit, "token.revoke", occasion, factsFor(tenant, occasion, id), async () => {
    if (!(await parts.book.revokeToken(tenant, id))) {
      throw new SkillsError("token-unknown", "Cannot revoke this token: there is none of this id");
    }
  });
  return new Response(null, { status: 204, headers: HEADERS });
}

function shown(tenant: string, { id, scopes, channel, created_at, expires_at = null }: TokenRecord) {
  return { id, tenant, scopes, channel, created_at, expires_at };
}
