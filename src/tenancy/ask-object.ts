/** Owns one question to a tenant's Durable Object: what comes back is plain data, released at once. */
import { SkillsError } from "../model/errors.ts";
import type { TenantObject } from "./tenant-object.ts";

/** Asks; `what` is what cannot be reached then. Throws `storage-unavailable`. */
export async function askObject<T>(
  tenants: DurableObjectNamespace<TenantObject>,
  tenant: string,
  ask: (stub: unknown) => Promise<unknown>,
  what: string,
): Promise<T> {
  let answer: unknown;
  try {
    answer = await ask(tenants.get(tenants.idFromName(tenant)));
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot reach ${what}`, { cause });
  }
  // Plain data may stay; what RPC adds to release it may not.
  const plain = structuredClone(withoutDisposer(answer));
  (answer as Partial<Disposable> | null)?.[Symbol.dispose]?.();
  return plain as T;
}

function withoutDisposer(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : typeof value === "object" && value !== null ? { ...value } : value;
}
