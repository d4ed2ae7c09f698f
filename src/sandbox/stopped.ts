/** Owns the result of a run that was stopped from outside, before it could say anything itself; never why. */
import type { RunLimitName, RunResult } from "../model/run.ts";

/** @param duration_ms how long it ran */
export function stopped(limit: RunLimitName, duration_ms: number): RunResult {
  const timed_out = limit === "wall" || limit === "cpu";
  return { exit_code: null, stdout: "", stderr: "", timed_out, truncated: false, limit, duration_ms, files: [] };
}
