/** Owns the settings file `edge-skills.json`: its keys, their defaults, and words for what is wrong with it. Never reads a file or an environment. */
import * as z from "zod/mini";
import { type EgressConfig, egressOf, egressSchema, NO_EGRESS } from "./egress.ts";
import { SkillsError } from "./errors.ts";
import type { FilterRule } from "./filter.ts";
import { wordsFor } from "./issue-words.ts";
import { isTenantName, PLATFORM_LAYER } from "./layer.ts";
import { DEFAULT_RUN_LIMITS, ISOLATIONS, type Isolation, type RunLimits } from "./run.ts";
import { type RunnersConfig, runnersOf, runnersSchema, SANDBOX_ONLY } from "./runners.ts";
import { type TargetPlace, targetsOf, targetsSchema } from "./targets.ts";
import { SCOPES } from "./token.ts";

const positive = z.number().check(z.int(), z.minimum(1));
const limitsSchema = z.strictObject({
  timeout_ms: z.optional(positive),
  cpu_ms: z.optional(positive),
  memory_bytes: z.optional(positive),
  output_bytes: z.optional(positive),
  files: z.optional(positive),
  file_bytes: z.optional(positive),
  processes: z.optional(z.number().check(z.int(), z.minimum(0))),
  network_calls: z.optional(z.number().check(z.int(), z.minimum(0))),
  network_bytes: z.optional(positive),
});

const glob = z.string().check(z.minLength(1));
const layerName = z.string().check(z.minLength(1));
const matcherSchema = z.union([
  glob,
  z.strictObject({ name: z.optional(glob), metadata: z.optional(z.record(z.string(), glob)) }),
]);
const filterSchema = z.strictObject({
  tenant: z.string().check(z.refine((name) => name === "*" || name === PLATFORM_LAYER || isTenantName(name))),
  layers: z.optional(z.array(layerName)),
  allow: z.optional(z.array(matcherSchema)),
  deny: z.optional(z.array(matcherSchema)),
  unless_scope: z.optional(z.enum(SCOPES)),
});
const approvalSchema = z.strictObject({ run_skill_script: z.optional(z.enum(["never", "ask"])) });
const isolationSchema = z.enum(ISOLATIONS);
const tenantSchema = z.strictObject({ approval: z.optional(approvalSchema), isolation: z.optional(isolationSchema) });

const originSchema = z
  .string()
  .check(z.refine((text) => text === "*" || (URL.canParse(text) && new URL(text).origin === text)));

const webhookSchema = z.strictObject({ url: z.string().check(z.refine((text) => URL.canParse(text))) });

const jwtSchema = z.strictObject({
  issuer: z.string().check(z.refine((text) => URL.canParse(text))),
  jwks_url: z.optional(z.string().check(z.refine((text) => URL.canParse(text)))),
  audience: z.union([z.string(), z.array(z.string()).check(z.minLength(1))]),
  tenant_claim: z.optional(z.string()),
  scope_claim: z.optional(z.string()),
});

const configSchema = z.strictObject({
  /** For editors; ignored. */
  $schema: z.optional(z.string()),
  tenants: z.optional(z.record(z.string().check(z.refine(isTenantName)), tenantSchema)),
  filters: z.optional(z.array(filterSchema)),
  protected: z.optional(z.array(glob)),
  public: z.optional(z.array(layerName)),
  origins: z.optional(z.array(originSchema)),
  webhooks: z.optional(z.array(webhookSchema)),
  jwt: z.optional(z.array(jwtSchema)),
  audit: z.optional(z.boolean()),
  approval: z.optional(approvalSchema),
  isolation: z.optional(isolationSchema),
  limits: z.optional(limitsSchema),
  egress: z.optional(egressSchema),
  runners: z.optional(runnersSchema),
  targets: z.optional(targetsSchema),
  wheels: z.optional(z.string().check(z.minLength(1))),
});

/** An issuer of JWTs. */
export interface JwtIssuer {
  readonly issuer: string;
  readonly jwks_url: string;
  /** Whom its tokens must be for: this service. */
  readonly audience: readonly string[];
  /** The claim that names the tenant. */
  readonly tenant_claim: string;
  /** The claim that names the scopes, by blanks or as a list. */
  readonly scope_claim: string;
}

/** What the operator settles for one tenant, over what holds for all. */
export interface TenantConfig {
  readonly approval: { readonly run_skill_script: "never" | "ask" | null };
  /** `null`: as for all. */
  readonly isolation: Isolation | null;
}

/** Settings with every default filled in. */
export interface Config {
  /** Whether running a script asks a person first. `null`: not configured; the edge asks, `dev` does not. */
  readonly approval: { readonly run_skill_script: "never" | "ask" | null };
  /** What JavaScript runs share an isolate with, where the tenant's own settings say nothing. */
  readonly isolation: Isolation;
  /** The operator's limits for every run. */
  readonly limits: RunLimits;
  /** By name; a tenant that is not named has nothing of its own. */
  readonly tenants: ReadonlyMap<string, TenantConfig>;
  /** Who may not see which skills. */
  readonly filters: readonly FilterRule[];
  /** Globs of names that only the platform's skills may have, also in look-alike spelling. */
  readonly protected: readonly string[];
  /** Layers whose skills anybody may discover, without a token. */
  readonly public: readonly string[];
  /** Origins whose pages may ask from a browser; `*` for all. */
  readonly origins: readonly string[];
  /** Who is told of approvals, each message signed. */
  readonly webhooks: readonly { readonly url: string }[];
  /** Issuers whose JWTs are taken beside our own tokens. */
  readonly jwt: readonly JwtIssuer[];
  /** Whether the use of skills is written to the log. `null`: not configured; the edge does, `dev` does not. */
  readonly audit: boolean | null;
  /** What scripts may reach. */
  readonly egress: EgressConfig;
  /** Where scripts run. */
  readonly runners: RunnersConfig;
  /** Where skills are deployed to, by name; `local` is always there. */
  readonly targets: ReadonlyMap<string, TargetPlace>;
  /** Directory of the Python packages that are packed with skills, relative to the settings; null for none. The edge has no use for it. */
  readonly wheels: string | null;
}

export const DEFAULT_CONFIG: Config = {
  approval: { run_skill_script: null },
  isolation: "run",
  limits: DEFAULT_RUN_LIMITS,
  tenants: new Map(),
  filters: [],
  protected: [],
  public: [],
  origins: [],
  webhooks: [],
  jwt: [],
  audit: null,
  egress: NO_EGRESS,
  runners: SANDBOX_ONLY,
  targets: new Map(),
  wheels: null,
};

/** Reads settings from the text of `edge-skills.json`. Throws `config-invalid`, naming every unknown or wrong key. */
export function parseConfig(text: string, file = "edge-skills.json"): Config {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SkillsError(
      "config-invalid",
      `Cannot read ${file}: it is not JSON: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
  const parsed = z.safeParse(configSchema, value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(describe).join("; ");
    throw new SkillsError("config-invalid", `Cannot use ${file}: ${problems}`, {
      hint: `known keys: ${Object.keys(configSchema.shape).join(", ")}`,
    });
  }
  const {
    approval,
    isolation = "run",
    limits,
    tenants = {},
    filters = [],
    protected: names = [],
    public: layers = [],
    origins = [],
    webhooks = [],
    jwt = [],
    audit = null,
    egress,
    runners,
    targets,
    wheels = null,
  } = parsed.data;
  return {
    approval: { run_skill_script: approval?.run_skill_script ?? null },
    isolation,
    limits: { ...DEFAULT_RUN_LIMITS, ...withoutUndefined(limits ?? {}) },
    tenants: new Map(
      Object.entries(tenants).map(([name, own]) => [
        name,
        { approval: { run_skill_script: own.approval?.run_skill_script ?? null }, isolation: own.isolation ?? null },
      ]),
    ),
    filters,
    protected: names,
    public: layers,
    origins,
    webhooks,
    jwt: jwt.map(jwtIssuerOf),
    audit,
    egress: egressOf(egress),
    runners: runnersOf(runners, file),
    targets: targetsOf(targets),
    wheels,
  };
}

function jwtIssuerOf({ issuer, jwks_url, audience, tenant_claim, scope_claim }: z.infer<typeof jwtSchema>): JwtIssuer {
  return {
    issuer,
    jwks_url: jwks_url ?? `${issuer.replace(/\/$/, "")}/.well-known/jwks.json`,
    audience: typeof audience === "string" ? [audience] : audience,
    tenant_claim: tenant_claim ?? "tenant",
    scope_claim: scope_claim ?? "scope",
  };
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.length > 0 ? `"${issue.path.join(".")}"` : "the top level";
  return issue.code === "unrecognized_keys"
    ? `${where} has unknown keys: ${issue.keys.map((key) => `"${key}"`).join(", ")}`
    : `${where}: ${wordsFor(issue)} is needed`;
}

function withoutUndefined(limits: z.infer<typeof limitsSchema>): Partial<RunLimits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
