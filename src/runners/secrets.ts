/** Owns reading the secrets of the Worker's own environment. Never gives one to anything but the network of a run. */
import { SkillsError } from "../model/errors.ts";

/** Finds a secret by tenant and name: the tenant's own, else one for all tenants (`*`). */
export function secretsOf(json: string | undefined): (tenant: string, name: string) => Promise<string | null> {
  const byTenant = new Map(Object.entries(json === undefined ? {} : parse(json)));
  return async (tenant, name) => {
    const own = byTenant.get(tenant);
    const common = byTenant.get("*");
    const found = [own, common].find((secrets) => secrets !== undefined && Object.hasOwn(secrets, name));
    return found?.[name] ?? null;
  };
}

function parse(json: string): Record<string, Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // Its text stays out of the error: it would be in a log.
    throw new SkillsError("config-invalid", "EDGE_SKILLS_SECRETS is not JSON");
  }
  if (!isTable(value, (own) => isTable(own, (text) => typeof text === "string" && text !== ""))) {
    throw new SkillsError("config-invalid", "EDGE_SKILLS_SECRETS is not { tenant: { name: secret } }");
  }
  return value as Record<string, Record<string, string>>;
}

function isTable(value: unknown, fits: (item: unknown) => boolean): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(fits);
}
