/** Owns one run from request to result: children, the wall clock, what the caller is told; never runs skill code itself. */
import {
  RUN_PROTOCOL,
  type RunHost,
  type RunLimitName,
  type RunRefusal,
  type RunRequest,
  type RunResult,
} from "../model/run.ts";
import { runInBox } from "./box-runs.ts";
import type { Loader } from "./children.ts";
import { runJavaScript } from "./javascript-runs.ts";
import { tellBegin, tellEnd, type Watch } from "./watch.ts";

/** Time a child gets beyond the run's own limit to answer what it has. */
const GRACE_MS = 1_000;

export interface RunnerParts {
  readonly loader: Loader;
  /** A local supervisor, if there is one. */
  readonly watch: Watch | undefined;
}

/** Runs one request, or says why not. */
export async function runOnce(parts: RunnerParts, request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
  if (request.protocol !== RUN_PROTOCOL) {
    return { refused: "runner-failed", message: `this runner speaks protocol ${RUN_PROTOCOL}, not ${String(request.protocol)}` };
  }
  await tellBegin(parts.watch, request.id, request.limits.timeout_ms);
  const startedAt = Date.now();
  const deadline = startedAt + request.limits.timeout_ms;
  try {
    const run = request.script.runtime === "javascript" ? runJavaScript : runInBox;
    const result = await withinTime(run(parts.loader, request, host, deadline), deadline + GRACE_MS - Date.now());
    return { ...result, duration_ms: Date.now() - startedAt };
  } catch (error) {
    return { refused: "runner-failed", message: error instanceof Error ? error.message : String(error) };
  } finally {
    await tellEnd(parts.watch, request.id);
  }
}

/** The result of a run, or that of one that did not even answer after its time. */
async function withinTime(run: Promise<RunResult>, ms: number): Promise<RunResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<RunResult>((resolve) => {
    timer = setTimeout(() => resolve(stopped("wall")), ms);
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of a run that was stopped before it could say anything. */
export function stopped(limit: RunLimitName): RunResult {
  return { exit_code: null, stdout: "", stderr: "", timed_out: true, truncated: false, limit, duration_ms: 0, files: [] };
}
