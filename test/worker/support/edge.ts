/** Puts skills and tokens into the local bindings as a deploy would, and asks the edge Worker over HTTP. */
import { env, exports } from "cloudflare:workers";
import { channelKey } from "../../../src/bundle/keys.ts";
import { encodePointer } from "../../../src/bundle/pointer-format.ts";
import { DEFAULT_CONFIG } from "../../../src/model/config.ts";
import type { Digest } from "../../../src/model/digest.ts";
import { hashToken, newToken, type Scope } from "../../../src/model/token.ts";
import type { BlobStore } from "../../../src/sources/blob-store.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import { createR2Store } from "../../../src/sources/r2-store.ts";
import { openTenancy, type Tenancy, type TenancyParts } from "../../../src/tenancy/open-tenancy.ts";
import { createRuntimeStore } from "../../../src/tenancy/runtime-store.ts";
import { type PackedLayer, packSkills, pointerTo, type SkillSpec } from "../../helpers/pack-skills.ts";

/** Deploys skills to a layer; bundles in `earlier` stay in its history. */
export async function deploySkills(
  layer: string,
  skills: readonly SkillSpec[],
  earlier: readonly Digest[] = [],
): Promise<PackedLayer> {
  const packed = await packSkills(skills);
  await Promise.all([...packed.entries].map(([key, bytes]) => env.SKILLS_KV.put(key, bytes)));
  await env.SKILLS_R2.put(channelKey(layer, "live"), encodePointer(pointerTo(packed.bundle, ...earlier)));
  return packed;
}

/** Makes a token and keeps its hash in the tenant's Durable Object. */
export async function createToken(
  tenant: string,
  scopes: readonly Scope[] = ["read", "run"],
  channel = "live",
): Promise<string> {
  const token = newToken(tenant);
  const record = { id: crypto.randomUUID(), hash: await hashToken(token), scopes, channel };
  await tenantObject(tenant).addToken({ ...record, created_at: "2026-11-30T00:00:00.000Z" });
  return token;
}

/** The Durable Object of a tenant. */
export function tenantObject(tenant: string) {
  return env.TENANTS.get(env.TENANTS.idFromName(tenant));
}

/** How a request differs from a plain GET. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

/** Asks the edge Worker; with a token unless it is null. */
export function ask(token: string | null, path: string, { headers = {}, ...init }: Asking = {}): Promise<Response> {
  const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  const request = new Request(`https://edge.test${path}`, { ...init, headers: { ...authorization, ...headers } });
  return exports.default.fetch(request);
}

/** Calls a tool over HTTP. */
export function call(token: string | null, tool: string, args: unknown, asking: Asking = {}): Promise<Response> {
  return ask(token, `/v1/tools/${tool}`, { method: "POST", body: JSON.stringify(args), ...asking });
}

/** The tenancy of an isolate of its own, over a store of bundles and the local Durable Objects and bucket. */
export function tenancyOver(store: BlobStore, parts: Partial<TenancyParts> = {}): Tenancy {
  return openTenancy({
    tenants: env.TENANTS,
    store,
    runtimeStoreFor: (tenant) => createRuntimeStore(tenant, createR2Store(env.SKILLS_R2), env.SKILLS_R2),
    cache: new ByteCache(),
    runner: null,
    config: DEFAULT_CONFIG,
    ...parts,
  });
}
