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
import { Admission, type Lease } from "./admission.ts";
import { runInBox } from "./box-runs.ts";
import type { Loader } from "./children.ts";
import { wordsOf } from "./error-words.ts";
import { throwIfGivenUp } from "./given-up.ts";
import { javascriptKey, runJavaScript } from "./javascript-runs.ts";
import type { ChildResult } from "./protocol.ts";
import { boxCalls, scriptCalls } from "./run-calls.ts";
import { stopped } from "./stopped.ts";
import { LostChild } from "./warm-children.ts";

/** Time a child gets beyond the run's own limit to answer what it has. */
const GRACE_MS = 3_000;
const RETRY_AFTER_MS = 1_000;
const UNKNOWN_TYPE = "application/octet-stream";

const admission = new Admission();

/** Runs one request, or says why not. */
export async function runOnce(loader: Loader, request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
  if (request.protocol !== RUN_PROTOCOL) {
    const message = `this runner speaks protocol ${RUN_PROTOCOL}, not ${String(request.protocol)}`;
    return { refused: "runner-failed", message };
  }
  const { timeout_ms, memory_bytes } = request.limits;
  const isJavaScript = request.script.runtime === "javascript";
  const boxKey = `box:${request.isolation}`;
  const key = isJavaScript ? await javascriptKey(request) : boxKey;
  const lasts = timeout_ms + 2 * GRACE_MS;
  const lease = await admission.enter(key, memory_bytes, lasts);
  if (lease === null) {
    return { refused: "runner-busy", message: "the runner is full", retry_after_ms: RETRY_AFTER_MS };
  }
  const startedAt = Date.now();
  let box: Lease | null = isJavaScript ? null : lease;
  const boxSlot = () => {
    box ??= admission.join(boxKey, memory_bytes, lasts);
    return box.slot;
  };
  try {
    await throwIfGivenUp(request, host, startedAt);
    const deadline = startedAt + timeout_ms;
    const order = {
      loader,
      request,
      host,
      deadline,
      slot: lease.slot,
      boxSlot,
      acts: { any: false },
      noted: { limit: null },
    };
    const run = isJavaScript ? runJavaScript(order, scriptCalls(order)) : runInBox(order, boxCalls(order));
    const result = await withinTime(run, startedAt, timeout_ms + GRACE_MS);
    const files = result.files.map((file) => ({ ...file, media_type: mime.getType(file.path) ?? UNKNOWN_TYPE }));
    return { ...result, limit: result.limit ?? order.noted.limit, files, duration_ms: Date.now() - startedAt };
  } catch (error) {
    return failure(error, Date.now() - startedAt);
  } finally {
    lease.release();
    box?.release();
  }
}

/** The result of a run, or that of one that did not even answer after its time. */
async function withinTime(run: Promise<ChildResult>, startedAt: number, ms: number): Promise<ChildResult> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<ChildResult>((resolve) => {
    timer = setTimeout(() => resolve(stopped("wall", Date.now() - startedAt)), ms);
  });
  try {
    return await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the platform says when it ends a child. */
const ENDED: readonly (readonly [RegExp, RunLimitName])[] = [
  [/exceeded.*CPU|CPU time limit/i, "cpu"],
  [/exceeded.*memory|memory limit|out of memory/i, "memory"],
];

function failure(error: unknown, duration_ms: number): RunResult | RunRefusal {
  if (error instanceof LostChild) {
    return { refused: "runner-lost", message: error.message };
  }
  const message = wordsOf(error);
  const limit = ENDED.find(([words]) => words.test(message))?.[1];
  if (limit !== undefined) {
    return stopped(limit, duration_ms);
  }
  console.error(`a run failed: ${message}`);
  return { refused: "runner-failed", message };
}
