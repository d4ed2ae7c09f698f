/** Owns what an operator says about the network of scripts: rules, and stub answers for trying them out. Never sends anything. */
import * as z from "zod/mini";
import { SkillsError } from "./errors.ts";
import { wordsFor } from "./issue-words.ts";
import { isSecretName } from "./secret.ts";

/** A secret that is added to requests of a rule. Only its name is in the settings. */
export interface EgressSecret {
  /** The name it was put under. */
  readonly name: string;
  /** Default `authorization`. */
  readonly header?: string | undefined;
  /** What stands before the secret in the header, as `Bearer `. Default nothing. */
  readonly prefix?: string | undefined;
}

/** One thing that scripts may reach. The first rule that fits a request counts. */
export interface EgressRule {
  /** Scheme, host and port; `https://*.example.com` for all names below one; `*` for all public ones. */
  readonly origin: string;
  /** Glob over the skill's name. Default all. */
  readonly skill?: string | undefined;
  /** Glob over the tenant's name. Default all. */
  readonly tenant?: string | undefined;
  /** Default all. */
  readonly methods?: readonly string[] | undefined;
  /** The path is one of these or lies below one. Default all. */
  readonly paths?: readonly string[] | undefined;
  readonly secret?: EgressSecret | undefined;
}

/** What a stand-in for the outside answers. */
export interface EgressStub {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body: string;
}

/** The operator's word on the network. */
export interface EgressConfig {
  readonly allow: readonly EgressRule[];
  /** Hosts of the service itself beside the one it is asked at. */
  readonly own: readonly string[];
}

export const NO_EGRESS: EgressConfig = { allow: [], own: [] };

/** The text of `dev --egress FILE`: rules, and by URL (`*`: any other) what is answered in place of the outside. */
export interface EgressTrial {
  readonly allow: readonly EgressRule[];
  /** Null: the real network. */
  readonly stub: ReadonlyMap<string, EgressStub> | null;
}

const WILD = /^https?:\/\/\*\.[^/*@]+$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** What no rule may put into a header: it would end it. */
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Tells whether a text is the origin of a rule, in the one spelling there is for it. */
export function isRuleOrigin(text: string): boolean {
  if (text === "*") {
    return true;
  }
  const plain = WILD.test(text) ? text.replace("*.", "any.") : text;
  if (plain.includes("*")) {
    return false;
  }
  return /^https?:/.test(plain) && URL.canParse(plain) && new URL(plain).origin === plain;
}

const text = z.string().check(z.minLength(1));
const originSchema = z.string().check(z.refine(isRuleOrigin));
const secretSchema = z.strictObject({
  name: z.string().check(z.refine(isSecretName)),
  header: z.optional(z.string().check(z.regex(HEADER_NAME))),
  prefix: z.optional(z.string().check(z.regex(PRINTABLE))),
});
const ruleSchema = z
  .strictObject({
    origin: originSchema,
    skill: z.optional(text),
    tenant: z.optional(text),
    methods: z.optional(z.array(z.string().check(z.regex(/^[A-Z]+$/)))),
    paths: z.optional(z.array(z.string().check(z.regex(/^\/[^?#]*$/)))),
    secret: z.optional(secretSchema),
  })
  // A secret goes to one place, over TLS or to a machine that the rule names.
  .check(z.refine((rule) => rule.secret === undefined || !(rule.origin === "*" || WILD.test(rule.origin))));

/** A rule, or an origin alone, as they stand in settings. */
const allowSchema = z.array(z.union([originSchema, ruleSchema]));

/** `egress` of edge-skills.json. */
export const egressSchema = z.strictObject({ allow: z.optional(allowSchema), own: z.optional(z.array(text)) });

const trialSchema = z.strictObject({
  allow: z.optional(allowSchema),
  stub: z.optional(
    z.record(
      z.string(),
      z.strictObject({
        status: z.number().check(z.int(), z.minimum(200), z.maximum(599)),
        headers: z.optional(z.record(z.string().check(z.regex(HEADER_NAME)), z.string())),
        body: z.string(),
      }),
    ),
  ),
});

/** Fills in the defaults of `egress`. */
export function egressOf(value: z.infer<typeof egressSchema> | undefined): EgressConfig {
  return { allow: rulesOf(value?.allow), own: value?.own ?? [] };
}

/** Reads the text of `--egress FILE`. Throws `config-invalid`. */
export function parseEgressTrial(json: string, file = "the egress file"): EgressTrial {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new SkillsError("config-invalid", `Cannot read ${file}: it is not JSON`, { cause });
  }
  const parsed = z.safeParse(trialSchema, value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `"${issue.path.join(".")}": ${wordsFor(issue)} is needed`);
    throw new SkillsError("config-invalid", `Cannot use ${file}: ${problems.join("; ")}`);
  }
  const { allow, stub } = parsed.data;
  return { allow: rulesOf(allow), stub: stub === undefined ? null : new Map(Object.entries(stub)) };
}

function rulesOf(allow: z.infer<typeof allowSchema> = []): readonly EgressRule[] {
  return allow.map((entry) => (typeof entry === "string" ? { origin: entry } : entry));
}
