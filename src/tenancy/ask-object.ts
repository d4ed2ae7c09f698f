/** Owns one question to a tenant's Durable Object: what comes back is plain data, released at once. */
import type { DurableObject } from "cloudflare:workers";
import { SkillsError } from "../model/errors.ts";
import type { TenantObject } from "./tenant-object.ts";

type Method = Exclude<keyof TenantObject, keyof DurableObject>;

/** The object as it is seen from afar. Not the platform's own type: that follows JSON values without end. */
export type RemoteTenant = {
  readonly [M in Method]: (...args: Parameters<TenantObject[M]>) => Promise<Awaited<ReturnType<TenantObject[M]>>>;
};

/** Asks; `what` is what cannot be reached then. Throws `storage-unavailable`. */
export async function askObject<T>(
  tenants: DurableObjectNamespace<TenantObject>,
  tenant: string,
  ask: (stub: RemoteTenant) => Promise<T>,
  what: string,
): Promise<T> {
  let answer: T;
  try {
    answer = await ask(tenants.get(tenants.idFromName(tenant)) as unknown as RemoteTenant);
  } catch (cause) {
    throw new SkillsError("storage-unavailable", `Cannot reach ${what}`, { cause });
  }
  // Plain data may stay; what RPC adds to release it may not.
  const plain = structuredClone(withoutDisposer(answer));
  (answer as Partial<Disposable> | null)?.[Symbol.dispose]?.();
  return plain;
}

function withoutDisposer<T>(value: T): T {
  if (Array.isArray(value)) {
    return [...value] as T;
  }
  return typeof value === "object" && value !== null ? { ...value } : value;
}
