/** Owns the child isolate that runs one JavaScript run and is gone afterwards; never a second run. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { RunLimitName, RunLimits } from "../../model/run.ts";
import { ENVIRONMENT } from "../box/environment.ts";
import { collectChanges } from "../files/changes.ts";
import { applyDelta, pathsOf, takeDelta } from "../files/delta.ts";
import { encodeAnswer } from "../files/delta-text.ts";
import { type Layout, layOut, SKILL_ROOT } from "../files/layout.ts";
import { sealedDir } from "../files/sealed.ts";
import { OutputSink } from "../output.ts";
import type { ChildResult, JavaScriptHost, JavaScriptProgram, JavaScriptRun } from "../protocol.ts";
import type { Ending } from "./runtime/loop.ts";
import { rememberRealm } from "./runtime/realm.ts";
import { runScript } from "./runtime/run.ts";
import script from "./script.js";

// The script may replace any of these before its end.
const stringify = JSON.stringify;
const NativePromise = Promise;
const now = Date.now;

export default class Child extends WorkerEntrypoint {
  /** The result as JSON: a text is the one thing that nothing a script changed can turn into something else on its way. */
  run(run: JavaScriptRun, host: JavaScriptHost): Promise<string> {
    const stdin = new TextEncoder().encode(run.stdin);
    const first = { ...run, stdin, cwd: SKILL_ROOT, env: ENVIRONMENT, delta: NO_DELTA };
    return execute(first, host, (ending, stage) => describe(ending, stage));
  }

  /** Runs the script for another program of the run: what it changed comes back as it is. */
  program(program: JavaScriptProgram, host: JavaScriptHost): Promise<string> {
    return execute(program, host, ({ status }, { layout, before, stdout, stderr }) => {
      const delta = takeDelta(layout.files, before);
      return encodeAnswer(
        { status: status ?? KILLED, stdout: stdout.bytes(), stderr: stderr.bytes(), delta },
        stringify,
      );
    });
  }
}

const NO_DELTA = { dirs: [], files: [], links: [], removed: [] };
/** What a program that was killed ends with. */
const KILLED = 137;

interface Stage {
  readonly layout: Layout;
  readonly before: ReadonlySet<string>;
  readonly startedAt: number;
  readonly limits: RunLimits;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
}

function execute(
  program: JavaScriptProgram,
  host: JavaScriptHost,
  text: (ending: Ending, stage: Stage) => string,
): Promise<string> {
  const startedAt = now();
  const { limits } = program;
  const stdout = new OutputSink(limits.output_bytes);
  const stderr = new OutputSink(limits.output_bytes);
  const layout = layOut({
    skill: program.skill,
    inputs: program.files,
    quota: limits.file_bytes,
    usr: sealedDir(),
    now,
    terminal: {
      stdout: { read: () => 0, write: (bytes) => stdout.write(bytes) },
      stderr: { read: () => 0, write: (bytes) => stderr.write(bytes) },
    },
  });
  // What the box begins with; what has been written since then it has to be told of.
  const initial = pathsOf(layout.files);
  for (const { path } of program.delta.files) {
    initial.delete(path);
  }
  applyDelta(layout.files, program.delta, "shared");
  const before = pathsOf(layout.files);
  let noted: RunLimitName | null = null;
  let spawned = 0;
  const restore = rememberRealm();
  // No `async` and no `then` on the way out: both could be the script's own by then.
  return new NativePromise((resolve) => {
    const answer = (ending: Ending) => {
      try {
        restore();
        const named = { ...ending, limit: ending.limit ?? noted };
        resolve(text(named, { layout, before, startedAt, limits, stdout, stderr }));
      } catch (error) {
        // What a script left of its isolate is not enough to say what it did: no answer is better than none in time.
        resolve(`no answer: ${String(error)}`);
      }
    };
    runScript(
      {
        script,
        path: `${SKILL_ROOT}/${program.script}`,
        argv: program.argv,
        cwd: program.cwd,
        env: program.env,
        limits,
        deadline: program.deadline,
        files: layout.files,
        standard: {
          stdin: program.stdin,
          stdout: (bytes) => stdout.write(bytes),
          stderr: (bytes) => stderr.write(bytes),
        },
        network: async (request) => {
          const response = await host.fetch(request);
          if (response.status === 403 && response.headers.get("x-egress") === "refused") {
            noted ??= "network";
          }
          return response;
        },
        spawn: async (request) => {
          if (++spawned > limits.processes) {
            noted ??= "processes";
            throw Object.assign(new Error(`spawn ${request.argv[0]} EAGAIN`), { code: "EAGAIN" });
          }
          const answer = await host.spawn({ ...request, delta: takeDelta(layout.files, initial) });
          applyDelta(layout.files, answer.delta, "written");
          return answer;
        },
      },
      answer,
    );
  });
}

function describe(ending: Ending, { layout, startedAt, limits, stdout, stderr }: Stage): string {
  const changes = collectChanges(layout, limits);
  const filesCut = changes.cut || layout.files.store.exhausted;
  const result: ChildResult = {
    exit_code: ending.status,
    stdout: stdout.text(),
    stderr: stderr.text(),
    timed_out: ending.status === null && (ending.limit === "wall" || ending.limit === "cpu"),
    truncated: stdout.truncated || stderr.truncated || changes.cut,
    limit: ending.limit ?? (filesCut ? "files" : null),
    duration_ms: now() - startedAt,
    files: changes.files,
  };
  return stringify(result);
}
