/** Owns secrets over HTTP: put, listed by name and removed by a token with `admin`, for its own tenant. A value goes in and never comes out. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { SkillsError } from "../model/errors.ts";
import { isSecretName, isSecretValue, MAX_SECRET_LENGTH } from "../model/secret.ts";
import { factsFor, recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { identify } from "./caller.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";
import { tenantOf } from "./tenant-of.ts";

/** The body of a `PUT`. */
export const putSecretSchema = z.object({ value: z.string().check(z.minLength(1), z.maxLength(MAX_SECRET_LENGTH)) });

/** Bytes of that body: each character of a secret may be written as six. */
const MAX_SECRET_BODY_BYTES = 64 * 1024;

const HEADERS = { "Cache-Control": "private, no-store" };

/** `PUT /v1/secrets/{name}` */
export async function putSecret(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "admin");
  const tenant = tenantOf(c, caller.grant);
  const name = c.req.param("name") ?? "";
  const body = z.safeParse(putSecretSchema, await readJsonObject(c.req.raw, MAX_SECRET_BODY_BYTES));
  if (!isSecretName(name)) {
    throw new SkillsError(
      "request-invalid",
      "Cannot use this name: a letter, then letters, digits, _, - and . make a secret's name, 64 at most",
    );
  }
  if (!body.success || !isSecretValue(body.data.value)) {
    throw new SkillsError(
      "request-invalid",
      `Cannot use this secret: "value" has to be printable ASCII without blanks around it, ${MAX_SECRET_LENGTH} characters at most`,
    );
  }
  const { value } = body.data;
  const occasion = { caller, requestId: c.get("requestId") };
  await recorded(parts.audit, "secret.put", occasion, factsFor(tenant, occasion, name), () =>
    parts.secrets.put(tenant, name, value),
  );
  return new Response(null, { status: 204, headers: HEADERS });
}

/** `GET /v1/secrets` */
export async function listSecrets(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const { grant } = await identify(c.req.raw, parts, "admin");
  const tenant = tenantOf(c, grant);
  const secrets = (await parts.secrets.list(tenant)).map((secret) => ({ ...secret, tenant }));
  return Response.json({ secrets }, { headers: HEADERS });
}

/** `DELETE /v1/secrets/{name}` */
export async function removeSecret(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await identify(c.req.raw, parts, "admin");
  const tenant = tenantOf(c, caller.grant);
  const name = c.req.param("name") ?? "";
  const occasion = { caller, requestId: c.get("requestId") };
  await recorded(parts.audit, "secret.remove", occasion, factsFor(tenant, occasion, name), async () => {
    if (!(await parts.secrets.remove(tenant, name))) {
      throw new SkillsError("secret-unknown", "Cannot remove this secret: there is none of this name");
    }
  });
  return new Response(null, { status: 204, headers: HEADERS });
}
