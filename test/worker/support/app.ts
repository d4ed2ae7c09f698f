/** Owns an edge's app over a tenancy of the test's own, with nothing beside it: no console, audit, webhooks or issuers. */
import { env } from "cloudflare:workers";
import { createEdgeApp } from "../../../src/http/app.ts";
import { AgentSkillsProvider, type ProviderOptions } from "../../../src/provider/provider.ts";
import { ByteCache } from "../../../src/sources/byte-cache.ts";
import type { Tenancy } from "../../../src/tenancy/open-tenancy.ts";
import { SecretBox } from "../../../src/tenancy/secret-box.ts";
import { Secrets } from "../../../src/tenancy/secrets.ts";
import type { Snapshot } from "../../../src/tenancy/snapshots.ts";
import { TenantBook } from "../../../src/tenancy/tenant-book.ts";

/** What an app is made with. */
export interface BareAppOptions {
  readonly hosts?: "any" | "loopback";
  readonly provider?: ProviderOptions;
}

/** The app, and what it logs. */
export function bareApp(tenancy: Tenancy, { hosts = "any", provider = {} }: BareAppOptions = {}) {
  const logged: string[] = [];
  const providerFor = ({ skills }: Snapshot) => new AgentSkillsProvider({ getSkills: async () => skills }, provider);
  const app = createEdgeApp({
    ...tenancy,
    readerFor: providerFor,
    providerFor,
    book: new TenantBook(env.TENANTS),
    secrets: new Secrets(new TenantBook(env.TENANTS), new SecretBox(undefined)),
    onApproval: null,
    audit: null,
    issuers: [],
    console: null,
    limiter: null,
    mcp: async () => new Response(null),
    origins: [],
    configured: [],
    publicLayers: [],
    cache: new ByteCache(),
    log: { error: (message) => logged.push(message) },
    hosts,
  });
  return { app, logged };
}
