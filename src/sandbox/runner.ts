/** Owns one run from request to result: admission, children, the wall clock; never runs skill code itself. */
import { RUN_PROTOCOL, type RunHost, type RunRefusal, type RunRequest, type RunResult } from "../model/run.ts";
import { boxCode, type Loader, type WorkerCode } from "./children.ts";
import version from "./generated/version.txt";
import type { ChildHost, ChildRun } from "./protocol.ts";

export type { Loader } from "./children.ts";

/** Time a child gets beyond the run's own limit to answer what it has. */
const GRACE_MS = 1_500;

interface ChildEntry {
  run(run: ChildRun, host: ChildHost): Promise<RunResult>;
}

/** Runs one request, or says why not. */
export async function runOnce(loader: Loader, request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
  if (request.protocol !== RUN_PROTOCOL) {
    return { refused: "runner-failed", message: `this runner speaks protocol ${RUN_PROTOCOL}, not ${request.protocol}` };
  }
  const startedAt = Date.now();
  const code: WorkerCode = boxCode();
  const stub = loader.get(`box:${version}:${request.isolation}`, () => code);
  const entry = stub.getEntrypoint() as unknown as ChildEntry;
  const run: ChildRun = {
    runtime: request.script.runtime,
    script: request.script.path,
    argv: request.argv,
    stdin: request.stdin,
    skill_files: request.skill_files,
    files: request.files,
    limits: request.limits,
  };
  const result = await entry.run(run, host);
  return { ...result, duration_ms: Date.now() - startedAt };
}

export { GRACE_MS };
