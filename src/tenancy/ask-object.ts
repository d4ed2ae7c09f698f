/** Owns one question to a tenant's Durable Object: bounded in time, what comes back is plain data, released at once. */
import type { DurableObject } from "cloudflare:workers";
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import { STORAGE_DEADLINE_MS } from "../sources/storage-error.ts";
import type { TenantObject } from "./tenant-object.ts";

type Method = Exclude<keyof TenantObject, keyof DurableObject>;

/** The object as it is seen from afar. Not the platform's own type: that follows JSON values without end. */
export type RemoteTenant = {
  readonly [M in Method]: (...args: Parameters<TenantObject[M]>) => Promise<Awaited<ReturnType<TenantObject[M]>>>;
};

/** Asks; `what` is what cannot be reached then, `waitMs` how long the object itself may wait. Throws `storage-unavailable`, also when no answer comes. */
export async function askObject<T>(
  tenants: DurableObjectNamespace<TenantObject>,
  tenant: string,
  ask: (stub: RemoteTenant) => Promise<T>,
  what: string,
  waitMs = 0,
): Promise<T> {
  let answer: T;
  try {
    const stub = tenants.get(tenants.idFromName(tenant)) as unknown as RemoteTenant;
    answer = await inTime(ask(stub), STORAGE_DEADLINE_MS + waitMs);
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
