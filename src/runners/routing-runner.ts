/** Owns which runner serves a script: the operator's decision, by skill, then by runtime. Never runs anything. */
import { SkillsError } from "../model/errors.ts";
import type { SkillScript } from "../model/record.ts";
import type { Runtime } from "../model/run.ts";
import type { PackedCounts, ScriptRunner } from "../model/runner.ts";

const NOT_SERVED = "no runner serves it here";

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
  const { runtimes = {}, otherwise = null } = routes;

  const runnerOf = (skill: string, { runtime }: SkillScript): ScriptRunner | null => {
    const own = skills.get(skill);
    if (own !== undefined) {
      return own;
    }
    const ofRuntime = runtime === null ? undefined : runtimes[runtime];
    return ofRuntime === undefined ? otherwise : ofRuntime;
  };

  return {
    async run(job) {
      const runner = runnerOf(job.skill.name, job.script);
      if (runner === null) {
        throw new SkillsError("script-not-runnable", `Cannot run "${job.script.path}": ${NOT_SERVED}`);
      }
      return runner.run(job);
    },
    reasonAgainst(skill, script) {
      const runner = runnerOf(skill, script);
      return runner === null ? NOT_SERVED : runner.reasonAgainst ? runner.reasonAgainst(skill, script) : script.reason;
    },
    countRunnable(skill, packed) {
      // Where all of its scripts take the same way there is no need to know their runtimes.
      const ways = skills.has(skill) ? [skills.get(skill) ?? null] : [otherwise, ...Object.values(runtimes)];
      const counts = new Set(ways.map((runner) => countBy(runner, skill, packed)));
      const [only = 0] = counts;
      return counts.size === 1 ? only : null;
    },
  };
}

function countBy(runner: ScriptRunner | null, skill: string, packed: PackedCounts): number | null {
  return runner === null ? 0 : runner.countRunnable ? runner.countRunnable(skill, packed) : packed.runnable;
}
