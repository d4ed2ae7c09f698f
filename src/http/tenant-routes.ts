/** Owns tenants over HTTP, for the platform's operator alone: made by name, listed, suspended and let in again. */
import type { Context } from "hono";
import * as z from "zod/mini";
import { SkillsError } from "../model/errors.ts";
import { isTenantName, PLATFORM_LAYER } from "../model/layer.ts";
import type { TenantFacts } from "../model/tenant.ts";
import { eraseTenant } from "../tenancy/erase-tenant.ts";
import { recorded } from "./audited.ts";
import { readJsonObject } from "./body.ts";
import { operator } from "./operator.ts";
import type { EdgeEnv, EdgeParts } from "./parts.ts";

/** The body of a `POST`. */
export const newTenantSchema = z.object({ name: z.string().check(z.refine(isTenantName)) });

const HEADERS = { "Cache-Control": "private, no-store" };

/** `POST /v1/tenants` */
export async function createTenant(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await operator(c, parts);
  const body = z.safeParse(newTenantSchema, await readJsonObject(c.req.raw));
  if (!body.success) {
    throw new SkillsError(
      "request-invalid",
      'Cannot make this tenant: "name" is lower-case letters, digits and hyphens, and not platform or runtime',
    );
  }
  const { name } = body.data;
  const created_at = new Date().toISOString();
  const occasion = { caller, requestId: c.get("requestId") };
  await recorded(parts.audit, "tenant.create", occasion, { item: name }, async () => {
    if (!(await parts.book.registerTenant(name, created_at))) {
      throw new SkillsError("tenant-exists", `Cannot make tenant "${name}": there is one of this name`);
    }
  });
  return Response.json({ name, created_at, suspended: false }, { status: 201, headers: HEADERS });
}

/** `GET /v1/tenants` */
export async function listTenants(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  await operator(c, parts);
  return Response.json({ tenants: await knownTenants(parts) }, { headers: HEADERS });
}

/** `POST /v1/tenants/{name}/suspend` · `/resume` */
export function switchTenant(state: "active" | "suspended") {
  return async (c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> => {
    const caller = await operator(c, parts);
    const name = c.req.param("name") ?? "";
    const event = state === "suspended" ? "tenant.suspend" : "tenant.resume";
    await recorded(parts.audit, event, { caller, requestId: c.get("requestId") }, { item: name }, async () => {
      if (!(await knownTenants(parts)).some((tenant) => tenant.name === name)) {
        throw new SkillsError("tenant-unknown", "Cannot do this: there is no tenant of this name");
      }
      await parts.book.setTenantState(name, state);
    });
    return Response.json({ name, suspended: state === "suspended" }, { headers: HEADERS });
  };
}

/** `DELETE /v1/tenants/{name}`; one of which nothing is there is deleted already. */
export async function deleteTenant(c: Context<EdgeEnv>, parts: EdgeParts): Promise<Response> {
  const caller = await operator(c, parts);
  const name = c.req.param("name") ?? "";
  if (!isTenantName(name)) {
    throw new SkillsError("tenant-unknown", "Cannot delete this: it is no name of a tenant");
  }
  if (parts.deploying === null) {
    throw new SkillsError("config-invalid", "Deleting a tenant over HTTP needs the binding SKILLS_R2");
  }
  const { storage } = parts.deploying;
  const occasion = { caller, requestId: c.get("requestId") };
  const removed = await recorded(parts.audit, "tenant.delete", occasion, { item: name }, () =>
    eraseTenant(name, { book: parts.book, storage }),
  );
  return Response.json({ name, removed }, { headers: HEADERS });
}

/** Those that were made by name, that have a layer or settings, or have had a token, a secret or a skill put at run time. */
async function knownTenants({ book, deploying, configured }: EdgeParts): Promise<TenantFacts[]> {
  const made = new Map((await book.listTenants()).map(({ name, created_at }) => [name, created_at]));
  const channels = (await deploying?.deploys.channels(null)) ?? [];
  const names = [...made.keys(), ...configured, ...channels.map(({ layer }) => layer)];
  const all = [...new Set(names)].filter((name) => name !== PLATFORM_LAYER).sort();
  return Promise.all(
    all.map(async (name) => ({
      name,
      created_at: made.get(name) ?? null,
      suspended: await book.isSuspended(name),
      channels: channels.filter(({ layer }) => layer === name).map(({ channel }) => channel),
    })),
  );
}
