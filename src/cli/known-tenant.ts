/** Owns finding a tenant by its name before something is done to it. */
import type { EdgeApi } from "../deploy/edge/edge-api.ts";
import { SkillsError } from "../model/errors.ts";
import type { TenantFacts } from "../model/tenant.ts";

/** Names that are told when one is not known. */
const MOST_NAMES = 20;

/** What the operator knows of a tenant. Throws `tenant-unknown` with the names there are. */
export async function knownTenant(edge: EdgeApi, name: string, doing: string): Promise<TenantFacts> {
  const { tenants } = (await edge.ask("GET", "/v1/tenants")) as { tenants: readonly TenantFacts[] };
  const tenant = tenants.find((item) => item.name === name);
  if (tenant === undefined) {
    throw new SkillsError("tenant-unknown", `Cannot ${doing} "${name}": there is no tenant of this name`, {
      candidates: tenants.slice(0, MOST_NAMES).map((item) => item.name),
    });
  }
  return tenant;
}
