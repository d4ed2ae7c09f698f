/** Owns the child isolate for Python and shell: one run per call, each with files and interpreter of its own; never keeps anything of a run. */
import { WorkerEntrypoint } from "cloudflare:workers";
import { getCommandNames } from "just-bash/browser";
import type { RunResult } from "../../model/run.ts";
import { ByteCache, readThrough } from "../byte-cache.ts";
import { collectChanges } from "../files/changes.ts";
import { HOME, layOut, SKILL_ROOT } from "../files/layout.ts";
import { plant, sealedDir, sealedFile } from "../files/sealed.ts";
import { OutputSink } from "../output.ts";
import type { ChildHost, ChildRun } from "../protocol.ts";
import { runPython } from "../python/interpreter.ts";
import { plantStdlib } from "../python/stdlib.ts";
import { RunState, Stopped } from "../run-state.ts";
import { PROGRAM_NAMES } from "../shell/commands.ts";
import { EXTRA_NAMES } from "../shell/extra-commands.ts";
import { runShell } from "../shell/shell.ts";
import { Machine, type Program } from "./machine.ts";
import stdlib from "./stdlib.bin";

const CACHE_BYTES = 24 << 20;

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  ["python3", runPython],
  ["python", runPython],
  ["bash", runShell],
  ["sh", runShell],
]);

const cache = new ByteCache(CACHE_BYTES);
const usr = makeUsr();

export default class Box extends WorkerEntrypoint {
  async run(run: ChildRun, host: ChildHost): Promise<RunResult> {
    const digests = run.skill_files.map((file) => file.digest);
    const bytes = await readThrough(cache, digests, (missing) => host.readFiles(missing));
    const state = new RunState(run.limits, run.deadline);
    const stdout = new OutputSink(run.limits.output_bytes);
    const stderr = new OutputSink(run.limits.output_bytes);
    const layout = layOut({
      skill: run.skill_files.map((file, i) => ({ path: file.path, bytes: bytes[i] ?? new Uint8Array(0) })),
      inputs: run.files,
      quota: run.limits.file_bytes,
      usr,
      now: () => Date.now(),
      terminal: {
        stdin: { read: () => 0, write: () => undefined },
        stdout: { read: () => 0, write: (bytes) => stdout.write(bytes) },
        stderr: { read: () => 0, write: (bytes) => stderr.write(bytes) },
      },
    });
    const machine = new Machine({ files: layout.files, state, programs: PROGRAMS, network: (request) => host.fetch(request) });
    const exit_code = await firstProgram(run, machine, stdout, stderr);
    const changes = collectChanges(layout, run.limits);
    if (changes.cut || layout.files.store.exhausted) {
      state.note("files");
    }
    return {
      exit_code,
      stdout: stdout.text(),
      stderr: stderr.text(),
      timed_out: state.stopped === "wall" || state.stopped === "cpu",
      truncated: stdout.truncated || stderr.truncated || changes.cut,
      limit: state.limit,
      duration_ms: Date.now() - state.startedAt,
      files: changes.files,
    };
  }
}

async function firstProgram(
  run: ChildRun,
  machine: Machine,
  stdout: OutputSink,
  stderr: OutputSink,
): Promise<number | null> {
  const { state } = machine;
  state.begin();
  try {
    return await machine.first(run.runtime === "python" ? "python3" : "bash", {
      machine,
      args: [run.script, ...run.argv],
      cwd: SKILL_ROOT,
      env: { HOME, PATH: "/usr/bin:/bin", LANG: "C.UTF-8", TMPDIR: "/tmp", PWD: SKILL_ROOT },
      stdin: new TextEncoder().encode(run.stdin),
      stdout,
      stderr,
    });
  } catch (error) {
    if (error instanceof Stopped || state.stopped !== null) {
      return null;
    }
    throw error;
  } finally {
    state.end();
  }
}

function makeUsr() {
  const root = sealedDir();
  plantStdlib(root, stdlib);
  for (const name of [...getCommandNames(), ...PROGRAM_NAMES, ...EXTRA_NAMES, "curl"]) {
    plant(
      root,
      `bin/${name}`,
      sealedFile(0, () => new Uint8Array(0), 0o555),
    );
  }
  return root;
}
