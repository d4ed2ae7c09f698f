/** Owns what an operator says about where scripts run: functions by name, and which skill, runtime or rest goes to which. Never runs anything. */
import * as z from "zod/mini";
import { SkillsError } from "./errors.ts";
import type { Runtime } from "./run.ts";
import { isSecretName } from "./secret.ts";

/** The name of what needs no function. */
export const SANDBOX = "sandbox";

/** In settings the same as null. */
const NONE = "none";

/** Where a function is. Its secret is only named here. */
export interface FunctionPlace {
  readonly url: string;
  /** The name of the platform's secret that both sides sign with. */
  readonly secret: string;
  /** `skill`: the skill's files go with each run; `call`: the function has them. */
  readonly sends: "skill" | "call";
}

/** Who runs what: a function's name, `sandbox`, or null for nobody. */
export interface RunnersConfig {
  readonly functions: Readonly<Record<string, FunctionPlace>>;
  /** By the skill's served name. */
  readonly skills: Readonly<Record<string, string | null>>;
  readonly runtimes: Readonly<Partial<Record<Runtime, string | null>>>;
  readonly otherwise: string | null;
}

export const SANDBOX_ONLY: RunnersConfig = { functions: {}, skills: {}, runtimes: {}, otherwise: SANDBOX };

const goal = z.nullable(z.string());

/** `runners` of edge-skills.json. */
export const runnersSchema = z.strictObject({
  functions: z.optional(
    z.record(
      z.string().check(z.refine((name) => /^[a-z0-9][a-z0-9-]*$/.test(name) && name !== SANDBOX && name !== NONE)),
      z.strictObject({
        url: z.string().check(z.refine((text) => URL.canParse(text))),
        secret: z.string().check(z.refine(isSecretName)),
        sends: z.optional(z.enum(["skill", "call"])),
      }),
    ),
  ),
  skills: z.optional(z.record(z.string(), goal)),
  runtimes: z.optional(
    z.strictObject({ python: z.optional(goal), bash: z.optional(goal), javascript: z.optional(goal) }),
  ),
  default: z.optional(goal),
});

/** Fills in the defaults. Throws `config-invalid` for a function that is named but not there. */
export function runnersOf(given: z.infer<typeof runnersSchema> = {}, file: string): RunnersConfig {
  const functions = Object.fromEntries(
    Object.entries(given.functions ?? {}).map(([name, { url, secret, sends = "skill" }]) => [
      name,
      { url, secret, sends },
    ]),
  );
  const goalOf = (key: string, name: string | null): string | null => {
    if (name === null || name === NONE) {
      return null;
    }
    if (name !== SANDBOX && !Object.hasOwn(functions, name)) {
      throw new SkillsError(
        "config-invalid",
        `Cannot use ${file}: "runners.${key}": there is no function ${JSON.stringify(name)}`,
        { candidates: [SANDBOX, NONE, ...Object.keys(functions)] },
      );
    }
    return name;
  };
  const goalsOf = (key: string, goals: Readonly<Record<string, string | null | undefined>> = {}) =>
    Object.fromEntries(
      Object.entries(goals).flatMap(([of, name]) => (name === undefined ? [] : [[of, goalOf(`${key}.${of}`, name)]])),
    );
  return {
    functions,
    skills: goalsOf("skills", given.skills),
    runtimes: goalsOf("runtimes", given.runtimes),
    otherwise: goalOf("default", given.default === undefined ? SANDBOX : given.default),
  };
}
