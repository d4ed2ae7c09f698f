/** Owns which runner serves a script: the operator's decision, by skill, then by runtime. Never runs anything. */
import { SkillsError } from "../model/errors.ts";
import type { Runtime } from "../model/run.ts";
import type { ScriptJob, ScriptRunner } from "../model/runner.ts";

/** Runners by what they serve. */
export interface RunnerRoutes {
  /** By the skill's served name; null: its scripts do not run. */
  readonly skills?: Readonly<Record<string, ScriptRunner | null>>;
  readonly runtimes?: Readonly<Partial<Record<Runtime, ScriptRunner | null>>>;
  /** For everything else. */
  readonly otherwise?: ScriptRunner | null;
}

/**
 * A runner that hands each script to the one that serves it.
 *
 * @example
 * createRoutingRunner({ skills: { "video-tools": containers }, otherwise: sandbox });
 */
export function createRoutingRunner(routes: RunnerRoutes): ScriptRunner {
  const skills = new Map(Object.entries(routes.skills ?? {}));
  return {
    async run(job) {
      const runner = runnerOf(job, skills, routes);
      if (runner === null) {
        throw new SkillsError("script-not-runnable", `Cannot run "${job.script.path}": no runner serves it here`);
      }
      return runner.run(job);
    },
  };
}

function runnerOf(
  { skill, script }: ScriptJob,
  skills: ReadonlyMap<string, ScriptRunner | null>,
  { runtimes = {}, otherwise = null }: RunnerRoutes,
): ScriptRunner | null {
  const own = skills.get(skill.name);
  if (own !== undefined) {
    return own;
  }
  const ofRuntime = script.runtime === null ? undefined : runtimes[script.runtime];
  return ofRuntime === undefined ? otherwise : ofRuntime;
}
