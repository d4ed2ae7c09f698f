/** Owns the child isolate that runs one JavaScript run and is gone afterwards; never a second run. */
import { WorkerEntrypoint } from "cloudflare:workers";
import script from "./script.js";
import { collectChanges } from "../files/changes.ts";
import { layOut, SKILL_ROOT } from "../files/layout.ts";
import { sealedDir } from "../files/sealed.ts";
import { OutputSink } from "../output.ts";
import type { ChildHost, JavaScriptRun } from "../protocol.ts";
import { runScript } from "./runtime/run.ts";

// The script may replace any of these before its end.
const stringify = JSON.stringify;
const setPrototypeOf = Object.setPrototypeOf;
const now = Date.now;

export default class Child extends WorkerEntrypoint {
  /** The result as JSON: a text is the one thing that nothing a script changed can turn into something else on its way. */
  async run(run: JavaScriptRun, host: ChildHost): Promise<string> {
    const startedAt = now();
    const { limits } = run;
    const layout = layOut({ skill: run.skill, inputs: run.files, quota: limits.file_bytes, usr: sealedDir(), now });
    const stdout = new OutputSink(limits.output_bytes);
    const stderr = new OutputSink(limits.output_bytes);
    const ending = await runScript({
      script,
      path: `${SKILL_ROOT}/${run.script}`,
      argv: run.argv,
      limits,
      files: layout.files,
      standard: {
        stdin: new TextEncoder().encode(run.stdin),
        stdout: (bytes) => stdout.write(bytes),
        stderr: (bytes) => stderr.write(bytes),
      },
      network: (request) => host.fetch(request),
      spawn: async () => {
        throw new Error("no programs yet");
      },
    });
    const changes = collectChanges(layout, limits);
    const filesCut = changes.cut || layout.files.store.exhausted;
    const result = {
      exit_code: ending.status,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timed_out: ending.limit === "wall" || ending.limit === "cpu",
      truncated: stdout.truncated || stderr.truncated || changes.cut,
      limit: ending.limit ?? (filesCut ? "files" : null),
      duration_ms: now() - startedAt,
      files: setPrototypeOf(changes.files.map((file) => setPrototypeOf({ ...file }, null)), null),
    };
    return stringify(setPrototypeOf(result, null));
  }
}
