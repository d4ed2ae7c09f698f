/** Owns asking a tenant's Durable Object about its uploads. What comes back is plain data, released at once. */
import { askObject, type RemoteTenant } from "./ask-object.ts";
import type { TenantObject } from "./tenant-object.ts";
import type { OpenUpload, Sent } from "./upload-table.ts";

/** Uploads of all tenants; upload-table.ts says what each call does. */
export class UploadBook {
  readonly #tenants: DurableObjectNamespace<TenantObject>;

  constructor(tenants: DurableObjectNamespace<TenantObject>) {
    this.#tenants = tenants;
  }

  begin(tenant: string, upload: OpenUpload, now: number): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.beginUpload(upload, now));
  }

  find(tenant: string, id: string, now: number): Promise<OpenUpload | null> {
    return this.#ask(tenant, (stub) => stub.findUpload(id, now));
  }

  extend(tenant: string, upload: OpenUpload, now: number): Promise<boolean> {
    return this.#ask(tenant, (stub) => stub.extendUpload(upload, now));
  }

  take(tenant: string, id: string, sent: readonly Sent[], now: number): Promise<"taken" | "gone" | "full"> {
    return this.#ask(tenant, (stub) => stub.takeUploaded(id, sent, now));
  }

  /** All that was sent and counts; null when the upload is over. */
  async sent(tenant: string, id: string, now: number): Promise<Sent[] | null> {
    const all: Sent[] = [];
    for (;;) {
      const page = await this.#ask(tenant, (stub) => stub.listUploaded(id, all.at(-1)?.digest ?? "", now));
      if (page === null || page.length === 0) {
        return page === null ? null : all;
      }
      all.push(...page);
    }
  }

  end(tenant: string, id: string, now: number): Promise<void> {
    return this.#ask(tenant, (stub) => stub.endUpload(id, now));
  }

  #ask<T>(tenant: string, ask: (stub: RemoteTenant) => Promise<T>): Promise<T> {
    return askObject(this.#tenants, tenant, ask, "the tenant's uploads");
  }
}
