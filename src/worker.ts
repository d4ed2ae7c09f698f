/** Owns the edge Worker's entry: bindings to parts, parts to app. Never executes a skill's code. */

import { type ConsoleAssets, createConsole } from "./console/console.ts";
import { createEdgeApp } from "./http/app.ts";
import { shown } from "./http/approval-routes.ts";
import { createProviders } from "./http/caller-providers.ts";
import type { Logger, OnApproval } from "./http/parts.ts";
import { problemResponse } from "./http/problem.ts";
import { type Config, DEFAULT_CONFIG, parseConfig } from "./model/config.ts";
import { parseEgressTrial } from "./model/egress.ts";
import { SkillsError, toSkillsError } from "./model/errors.ts";
import { PLATFORM_LAYER } from "./model/layer.ts";
import type { RunnerService } from "./model/run.ts";
import { createConfiguredRunner } from "./runners/configured-runner.ts";
import { createEgress, type Egress, stubSender } from "./runners/egress.ts";
import { ownHostOf } from "./runners/egress-rules.ts";
import { createServiceBindingRunner } from "./runners/service-binding-runner.ts";
import type { BlobStore } from "./sources/blob-store.ts";
import { ByteCache } from "./sources/byte-cache.ts";
import { DEFAULT_POINTER_TIMES } from "./sources/current-documents.ts";
import { createKvStore } from "./sources/kv-store.ts";
import { createR2Store } from "./sources/r2-store.ts";
import { createTieredStore } from "./sources/tiered-store.ts";
import { createAudit } from "./tenancy/audit.ts";
import { firstTokenOf } from "./tenancy/first-token.ts";
import { openTenancy } from "./tenancy/open-tenancy.ts";
import { type BlobWriter, createRuntimeStore } from "./tenancy/runtime-store.ts";
import { SecretBox } from "./tenancy/secret-box.ts";
import { Secrets } from "./tenancy/secrets.ts";
import { TenantBook } from "./tenancy/tenant-book.ts";
import type { TenantObject } from "./tenancy/tenant-object.ts";
import { createUploadStorage } from "./tenancy/upload-storage.ts";
import { createWebhooks } from "./tenancy/webhooks.ts";

export { TenantObject } from "./tenancy/tenant-object.ts";

/** The bindings of wrangler.toml. */
export interface Env {
  readonly SKILLS_KV?: KVNamespace;
  readonly SKILLS_R2?: R2Bucket;
  readonly TENANTS: DurableObjectNamespace<TenantObject>;
  readonly RUNNER?: RunnerService;
  /** The text of edge-skills.json. */
  readonly EDGE_SKILLS_CONFIG?: string;
  /** Takes a data point for each use of a skill. */
  readonly AUDIT?: AnalyticsEngineDataset;
  /** The files of the console (src/console/static). */
  readonly ASSETS?: ConsoleAssets;
  /** Counts the requests of each token. */
  readonly RATE_LIMIT?: RateLimit;
  /** Signs webhooks. A secret. */
  readonly EDGE_SKILLS_WEBHOOK_SECRET?: string;
  /** `dev` sets it: only this machine may ask, scripts run without asking, pointers are read anew each time. */
  readonly EDGE_SKILLS_MODE?: "dev";
  /** In `dev`: network rules to try out, and answers that stand in for the outside. They take the place of the settings' rules. */
  readonly EDGE_SKILLS_EGRESS?: string;
  /** Hash of the first token. A secret. */
  readonly EDGE_SKILLS_FIRST_TOKEN_HASH?: string;
  /** Seals the secrets that network rules name: 32 bytes in base64. A secret. */
  readonly EDGE_SKILLS_KEY?: string;
}

/** Hosts that this isolate was asked at. A script is never let there: it would ask the service as itself. */
const ownHosts = new Set<string>();

const log: Logger = {
  error: (message, facts) => console.error(JSON.stringify({ level: "error", message, ...facts })),
};

/** Where the last request came to: most come to the same, and need no address read anew. */
let lastOrigin: string | null = null;

/** Nobody reaches a Worker under a host that is not its own, except locally. */
const MOST_HOSTS = 256;

/** What an isolate made with its first request and keeps: bindings may be used by every request. Other settings make it anew. */
let edge: { readonly settings: string | undefined; readonly app: ReturnType<typeof createEdgeApp> } | null = null;

export default {
  fetch(request, env, ctx) {
    noteHost(request.url);
    try {
      if (edge === null || edge.settings !== env.EDGE_SKILLS_CONFIG) {
        edge = { settings: env.EDGE_SKILLS_CONFIG, app: createEdgeApp(partsOf(env)) };
      }
    } catch (error) {
      return setUpProblem(toSkillsError(error));
    }
    return edge.app.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Env>;

function noteHost(address: string): void {
  if ((lastOrigin !== null && address.startsWith(lastOrigin)) || ownHosts.size >= MOST_HOSTS) {
    return;
  }
  const url = new URL(address);
  ownHosts.add(ownHostOf(url));
  lastOrigin = `${url.origin}/`;
}

/** The answer to everything while the settings or bindings are wrong; the log says what it is. */
function setUpProblem(error: SkillsError): Response {
  const requestId = crypto.randomUUID();
  console.error(JSON.stringify({ level: "error", message: error.message, code: error.code, request_id: requestId }));
  return problemResponse(error, requestId);
}

function partsOf(env: Env): Parameters<typeof createEdgeApp>[0] {
  const isDev = env.EDGE_SKILLS_MODE === "dev";
  const config = env.EDGE_SKILLS_CONFIG === undefined ? DEFAULT_CONFIG : parseConfig(env.EDGE_SKILLS_CONFIG);
  const store = storeOf(env);
  const cache = new ByteCache();
  const book = new TenantBook(env.TENANTS, ({ code, cause }) =>
    log.error("Cannot keep what a call answered: repeats are refused for a while", { code, cause: String(cause) }),
  );
  const secrets = new Secrets(book, new SecretBox(env.EDGE_SKILLS_KEY));
  const egress = egressOf(env, config, secrets);
  const isolationFor = (tenant: string) => config.tenants.get(tenant)?.isolation ?? config.isolation;
  const sandbox = env.RUNNER === undefined ? null : createServiceBindingRunner(env.RUNNER, egress, isolationFor);
  // Never a tenant's own: it would settle what the operator's functions are called with.
  const secretOf = (name: string) => secrets.find(PLATFORM_LAYER, name);
  const runner = createConfiguredRunner(config.runners, { sandbox, secretOf });
  const pointerTimes = isDev ? { ...DEFAULT_POINTER_TIMES, freshMs: 0 } : DEFAULT_POINTER_TIMES;
  const approval = config.approval.run_skill_script ?? (isDev ? "never" : "ask");
  const limiter = env.RATE_LIMIT;
  const onApproval = webhooksOf(env, config);
  const isAudited = config.audit ?? !isDev;
  const page = env.ASSETS === undefined ? null : createConsole(env.ASSETS);
  const audit = isAudited ? createAudit((line) => console.log(line), env.AUDIT ?? null) : null;

  return {
    ...openTenancy({
      tenants: env.TENANTS,
      store,
      runtimeStoreFor: runtimeStores(env),
      firstToken: firstTokenOf(env.EDGE_SKILLS_FIRST_TOKEN_HASH),
      uploadStorage: env.SKILLS_R2 === undefined ? null : createUploadStorage(env.SKILLS_R2, env.SKILLS_KV ?? null),
      cache,
      runner,
      config,
      pointerTimes,
    }),
    book,
    secrets,
    onApproval,
    audit,
    console: page,
    ...createProviders({ config, approval, cache, audit, book, onApproval, log, console: page }),
    // Loaded with the first MCP request: its schemas would cost every isolate's start.
    mcp: async (request, scene) => (await import("./mcp/door.ts")).answerMcp(request, scene),
    origins: config.origins,
    publicLayers: config.public,
    configured: [...config.tenants.keys()],
    issuers: config.jwt.map(({ issuer }) => issuer),
    limiter: limiter === undefined ? null : (key) => isWithinLimit(limiter, key),
    cache,
    log,
    hosts: isDev ? "loopback" : "any",
  };
}

/** A counter that does not answer keeps nobody out. */
async function isWithinLimit(limiter: RateLimit, key: string): Promise<boolean> {
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    console.error(JSON.stringify({ level: "error", message: `Cannot count requests: ${error}` }));
    return true;
  }
}

/** Who is told of approvals; null for nobody. */
function webhooksOf({ EDGE_SKILLS_WEBHOOK_SECRET: secret }: Env, { webhooks }: Config): OnApproval | null {
  if (webhooks.length === 0) {
    return null;
  }
  if (secret === undefined || secret === "") {
    throw new SkillsError("config-invalid", "Webhooks need the secret EDGE_SKILLS_WEBHOOK_SECRET to be signed with");
  }
  const tell = createWebhooks(webhooks, secret);
  return (event, approval, outlive) => outlive(tell(event, shown(approval)));
}

/** The network of scripts: the operator's rules, or those that `dev` tries out. */
function egressOf(env: Env, config: Config, secrets: Secrets): Egress {
  const trial =
    env.EDGE_SKILLS_MODE === "dev" && env.EDGE_SKILLS_EGRESS !== undefined
      ? parseEgressTrial(env.EDGE_SKILLS_EGRESS)
      : null;
  for (const host of config.egress.own) {
    ownHosts.add(host.toLowerCase());
  }
  // A script that could reach a function could try to pass for the service.
  for (const { url } of Object.values(config.runners.functions)) {
    ownHosts.add(ownHostOf(new URL(url)));
  }
  return createEgress({
    rules: trial?.allow ?? config.egress.allow,
    own: ownHosts,
    secretOf: (tenant, name) => secrets.find(tenant, name),
    send: trial?.stub ? stubSender(trial.stub) : (request) => fetch(request),
    onRefused: (facts) => console.warn(JSON.stringify({ level: "warn", message: "network refused", ...facts })),
  });
}

function storeOf(env: Env): BlobStore {
  const kv = env.SKILLS_KV === undefined ? null : createKvStore(env.SKILLS_KV);
  const r2 = env.SKILLS_R2 === undefined ? null : createR2Store(env.SKILLS_R2);
  if (kv !== null && r2 !== null) {
    return createTieredStore(kv, r2);
  }
  const store = kv ?? r2;
  if (store === null) {
    throw new SkillsError("config-invalid", "The edge Worker needs a binding SKILLS_KV or SKILLS_R2, better both");
  }
  return store;
}

/** Where a tenant's skills put at run time lie. */
function runtimeStores(env: Env): (tenant: string) => BlobWriter {
  const { SKILLS_R2: bucket, SKILLS_KV: kv } = env;
  if (bucket !== undefined) {
    return (tenant) => createRuntimeStore(tenant, createR2Store(bucket), bucket);
  }
  if (kv !== undefined) {
    return (tenant) => createRuntimeStore(tenant, createKvStore(kv), kv);
  }
  throw new SkillsError("config-invalid", "The edge Worker needs a binding SKILLS_KV or SKILLS_R2, better both");
}
