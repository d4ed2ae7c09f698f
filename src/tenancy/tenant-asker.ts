/** Owns asking a tenant's Durable Object what is live: what comes back is plain data, released at once, and never a stub. */
import { SkillsError } from "../model/errors.ts";
import { inTime } from "../model/in-time.ts";
import type { RuntimeState } from "../model/runtime-state.ts";
import { STORAGE_DEADLINE_MS } from "../sources/storage-error.ts";
import type { RuntimeAsker } from "./runtime-layer.ts";
import type { TenantObject } from "./tenant-object.ts";

/** Asks over the binding. Throws `storage-unavailable` when there is no answer. */
export function createTenantAsker(tenants: DurableObjectNamespace<TenantObject>): RuntimeAsker {
  const asking = async (
    tenant: string,
    ask: (stub: DurableObjectStub<TenantObject>) => Promise<(RuntimeState & Disposable) | null>,
  ): Promise<RuntimeState | null> => {
    try {
      using state = await inTime(ask(tenants.get(tenants.idFromName(tenant))), STORAGE_DEADLINE_MS);
      return state && { seq: state.seq, bundle: state.bundle, index: state.index };
    } catch (cause) {
      throw new SkillsError("storage-unavailable", "Cannot ask for the skills put at run time", { cause });
    }
  };
  return {
    live: (tenant, knownSeq) => asking(tenant, (stub) => stub.liveRuntime(knownSeq)),
    kept: (tenant, prefix) => asking(tenant, (stub) => stub.keptRuntime(prefix)),
  };
}
