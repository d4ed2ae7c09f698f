/** Owns one run from request to result: admission, the wall clock, what the caller is told; never runs skill code itself. */
import mime from "mime";
import {
  RUN_PROTOCOL,
  type RunHost,
  type RunLimitName,
  type RunRefusal,
  type RunRequest,
  type RunResult,
} from "../model/run.ts";
import { Admission } from "./admission.ts";
import { runInBox } from "./box-runs.ts";
import type { Loader } from "./children.ts";
import { javascriptKey, runJavaScript } from "./javascript-runs.ts";
import type { ChildResult } from "./protocol.ts";
import { boxCalls, scriptCalls } from "./run-calls.ts";
import { tellBegin, tellEnd, type Watch } from "./watch.ts";

/** Time a child gets beyond the run's own limit to answer what it has. */
const GRACE_MS = 1_000;
const RETRY_AFTER_MS = 1_000;
const UNKNOWN_TYPE = "application/octet-stream";

const admission = new Admission();

export interface RunnerParts {
  readonly loader: Loader;
  /** A local supervisor, if there is one. */
  readonly watch: Watch | undefined;
}

/** Runs one request, or says why not. */
export async function runOnce(parts: RunnerParts, request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
  if (request.protocol !== RUN_PROTOCOL) {
    const message = `this runner speaks protocol ${RUN_PROTOCOL}, not ${String(request.protocol)}`;
    return { refused: "runner-failed", message };
  }
  const { timeout_ms, memory_bytes } = request.limits;
  const isJavaScript = request.script.runtime === "javascript";
  const key = isJavaScript ? await javascriptKey(request) : `box:${request.isolation}`;
  const lease = await admission.enter(key, memory_bytes, timeout_ms + 2 * GRACE_MS);
  if (lease === null) {
    return { refused: "runner-busy", message: "the runner is full", retry_after_ms: RETRY_AFTER_MS };
  }
  try {
    const guilty = await tellBegin(parts.watch, request.id, timeout_ms);
    if (guilty !== null) {
      return stopped(guilty);
    }
    const startedAt = Date.now();
    const deadline = startedAt + timeout_ms;
    const order = { loader: parts.loader, request, host, deadline, slot: lease.slot, acts: { any: false } };
    const run = isJavaScript ? runJavaScript(order, scriptCalls(order)) : runInBox(order, boxCalls(order));
    const result = await withinTime(run, deadline + GRACE_MS);
    const files = result.files.map((file) => ({ ...file, media_type: mime.getType(file.path) ?? UNKNOWN_TYPE }));
    return { ...result, files, duration_ms: Date.now() - startedAt };
  } catch (error) {
    return failure(error);
  } finally {
    lease.release();
    await tellEnd(parts.watch, request.id);
  }
}

/** The result of a run, or that of one that did not even answer after its time. */
async function withinTime(run: Promise<ChildResult>, until: number): Promise<ChildResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ChildResult>((resolve) => {
    timer = setTimeout(() => resolve(stopped("wall")), Math.max(0, until - Date.now()));
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of a run that was stopped before it could say anything. */
export function stopped(limit: RunLimitName): RunResult {
  const timed_out = limit === "wall" || limit === "cpu";
  return { exit_code: null, stdout: "", stderr: "", timed_out, truncated: false, limit, duration_ms: 0, files: [] };
}

/** What the platform says when it ends a child. */
const ENDED: readonly (readonly [RegExp, RunLimitName])[] = [
  [/exceeded.*CPU|CPU time limit/i, "cpu"],
  [/exceeded.*memory|memory limit|out of memory/i, "memory"],
];

function failure(error: unknown): RunResult | RunRefusal {
  const message = error instanceof Error ? error.message : String(error);
  const limit = ENDED.find(([words]) => words.test(message))?.[1];
  if (limit !== undefined) {
    return stopped(limit);
  }
  console.error(`a run failed: ${message}`);
  return { refused: "runner-failed", message };
}
