/** Owns one run of the isolate's script from its order to the text of its answer; never what a script finds in it. */
import type { RunLimitName } from "../../model/run.ts";
import { type PlacedFile, SKILL_ROOT } from "../files/layout.ts";
import { OutputSink } from "../output.ts";
import type { JavaScriptHost, JavaScriptProgram } from "../protocol.ts";
import load from "./load.js";
import type { RunFiles } from "./run-files.ts";
import { stateOfGlobals } from "./runtime/globals.ts";
import type { Script } from "./runtime/imports.ts";
import { loadRunFiles } from "./runtime/late-parts.ts";
import type { Ending } from "./runtime/loop.ts";
import { rememberRealm } from "./runtime/realm.ts";
import { runScript } from "./runtime/run.ts";

// The script may replace any of these before its end.
const NativePromise = Promise;
const now = Date.now;

/** The isolate's script; one that does not load keeps the isolate from starting. */
const script = load("./script.js") as Script;

/** How a run ended, and what it left. */
export interface Outcome {
  readonly ending: Ending;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
  /** Null when nothing ever looked at them: nothing is changed then. */
  readonly files: RunFiles | null;
  readonly duration_ms: number;
  /** Whether another run may find the isolate's built-in objects as they were. */
  readonly realm: "whole" | "damaged";
}

/** The built-in objects as the isolate began with them. */
let realm: ReturnType<typeof rememberRealm> | null = null;
let running = 0;

/**
 * Runs the script.
 * @param skill the skill's files with their bytes
 * @param text writes the answer; called with the built-in objects as they were
 */
export function execute(
  program: JavaScriptProgram,
  skill: readonly PlacedFile[],
  host: JavaScriptHost,
  text: (outcome: Outcome) => string,
): Promise<string> {
  const startedAt = now();
  const { limits } = program;
  const stdout = new OutputSink(limits.output_bytes);
  const stderr = new OutputSink(limits.output_bytes);
  let made: RunFiles | null = null;
  const files = (): RunFiles => {
    const terminal = {
      stdout: { read: () => 0, write: (bytes: Uint8Array) => stdout.write(bytes) },
      stderr: { read: () => 0, write: (bytes: Uint8Array) => stderr.write(bytes) },
    };
    const { files: inputs, delta } = program;
    made ??= new (loadRunFiles().RunFiles)({ skill, inputs, delta, limits, terminal, now });
    return made;
  };
  let noted: RunLimitName | null = null;
  let spawned = 0;
  const known = realm ?? rememberRealm(program.isolate === "shared" ? "all" : "answer");
  realm = known;
  running++;
  // No `async` and no `then` on the way out: both could be the script's own by then.
  return new NativePromise((resolve) => {
    const answer = (ending: Ending) => {
      running--;
      const outcome = {
        ending: { status: ending.status, limit: ending.limit ?? noted },
        stdout,
        stderr,
        files: made,
        duration_ms: now() - startedAt,
      };
      try {
        const globals = stateOfGlobals();
        const describe = (state: Outcome["realm"]) =>
          text({ ...outcome, realm: globals === "whole" ? state : globals });
        resolve(known.restored(describe, running === 0 ? "stay" : "go back"));
      } catch (error) {
        // What a script left of its isolate is not enough to say what it did: no answer is better than none in time.
        resolve(`no answer: ${String(error)}`);
      }
    };
    runScript(
      {
        script,
        isolate: program.isolate,
        path: `${SKILL_ROOT}/${program.script}`,
        argv: program.argv,
        cwd: program.cwd,
        env: program.env,
        limits,
        deadline: program.deadline,
        files,
        sourceOf: (path) =>
          new TextDecoder().decode(skill.find((file) => `${SKILL_ROOT}/${file.path}` === path)?.bytes),
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
          const answered = await host.spawn({ ...request, delta: files().spawning() });
          files().spawned(answered.delta);
          return answered;
        },
      },
      answer,
    );
  });
}
