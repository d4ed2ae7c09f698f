/** Owns runs of Python and shell: which warm child serves them; never JavaScript. */
import type { RunHost, RunRequest, RunResult } from "../model/run.ts";
import { boxCode, type Loader } from "./children.ts";
import version from "./generated/version.txt";
import type { ChildHost, ChildRun } from "./protocol.ts";

interface BoxEntry {
  run(run: ChildRun, host: ChildHost): Promise<RunResult>;
}

/** Runs a Python or shell script in the caller's warm child. */
export async function runInBox(loader: Loader, request: RunRequest, host: RunHost, deadline: number): Promise<RunResult> {
  const code = boxCode();
  const entry = loader.get(`edge-skills-box:${version}:${request.isolation}`, () => code).getEntrypoint() as unknown as BoxEntry;
  const { runtime } = request.script;
  if (runtime === "javascript") {
    throw new Error("JavaScript has children of its own");
  }
  return await entry.run(
    {
      runtime,
      script: request.script.path,
      argv: request.argv,
      stdin: request.stdin,
      skill_files: request.skill_files,
      files: request.files,
      limits: request.limits,
      deadline,
    },
    host,
  );
}
