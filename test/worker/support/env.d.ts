/** Tells the types of what the test pool puts into `cloudflare:workers`: the edge Worker's own bindings and its default export. */
declare namespace Cloudflare {
  interface Env {
    readonly SKILLS_KV: KVNamespace;
    readonly SKILLS_R2: R2Bucket;
    readonly TENANTS: DurableObjectNamespace<import("../../../src/tenancy/tenant-object.ts").TenantObject>;
    readonly RUNNER: import("../../../src/model/run.ts").RunnerService;
  }

  interface GlobalProps {
    readonly mainModule: typeof import("../../../src/worker.ts");
  }
}
