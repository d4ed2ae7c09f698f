/** Owns the settings file `edge-skills.json`: its keys, their defaults, and words for what is wrong with it. Never reads a file or an environment. */
import * as z from "zod/mini";
import { SkillsError } from "./errors.ts";
import { wordsFor } from "./issue-words.ts";
import { DEFAULT_RUN_LIMITS, type RunLimits } from "./run.ts";

const positive = z.number().check(z.int(), z.minimum(1));
const limitsSchema = z.strictObject({
  timeout_ms: z.optional(positive),
  cpu_ms: z.optional(positive),
  memory_bytes: z.optional(positive),
  output_bytes: z.optional(positive),
  files: z.optional(positive),
  file_bytes: z.optional(positive),
  processes: z.optional(z.number().check(z.int(), z.minimum(0))),
});

const configSchema = z.strictObject({
  /** For editors; ignored. */
  $schema: z.optional(z.string()),
  approval: z.optional(z.strictObject({ run_skill_script: z.optional(z.enum(["never", "ask"])) })),
  limits: z.optional(limitsSchema),
});

/** Settings with every default filled in. */
export interface Config {
  /** Whether running a script asks a person first. `null`: not configured; the edge asks, `dev` does not. */
  readonly approval: { readonly run_skill_script: "never" | "ask" | null };
  /** The operator's limits for every run. */
  readonly limits: RunLimits;
}

export const DEFAULT_CONFIG: Config = { approval: { run_skill_script: null }, limits: DEFAULT_RUN_LIMITS };

/** Reads settings from the text of `edge-skills.json`. Throws `config-invalid`, naming every unknown or wrong key. */
export function parseConfig(text: string, file = "edge-skills.json"): Config {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new SkillsError("config-invalid", `Cannot read ${file}: it is not JSON`, { cause });
  }
  const parsed = z.safeParse(configSchema, value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(describe).join("; ");
    throw new SkillsError("config-invalid", `Cannot use ${file}: ${problems}`, {
      hint: `known keys: ${Object.keys(configSchema.shape).join(", ")}`,
    });
  }
  const { approval, limits } = parsed.data;
  return {
    approval: { run_skill_script: approval?.run_skill_script ?? null },
    limits: { ...DEFAULT_RUN_LIMITS, ...withoutUndefined(limits ?? {}) },
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
