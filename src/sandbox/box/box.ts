/** Owns the child isolate for Python and shell: one run per call, each with files and interpreter of its own; never keeps anything of a run. */
import { WorkerEntrypoint } from "cloudflare:workers";
import type { Digest } from "../../model/digest.ts";
import type { RunInputFile, RunLimits, RunSkillFile } from "../../model/run.ts";
import { ByteCache, readThrough } from "../byte-cache.ts";
import { bringChanges, collectChanges } from "../files/changes.ts";
import { applyDelta, pathsOf, takeDelta } from "../files/delta.ts";
import type { Device, DirNode } from "../files/inode.ts";
import { type Layout, layOut, SKILL_ROOT } from "../files/layout.ts";
import type { Vfs } from "../files/vfs.ts";
import { bringWhere } from "../files/visit.ts";
import { OutputSink } from "../output.ts";
import type {
  ChildFailure,
  ChildHost,
  ChildResult,
  ChildRun,
  NodeDoor,
  SpawnOrder,
  SpawnOutcome,
} from "../protocol.ts";
import { withPackages } from "../python/packages.ts";
import { type RunBudget, withinBudget } from "../run-budget.ts";
import { RunState, Stopped } from "../run-state.ts";
import { ENVIRONMENT } from "./environment.ts";
import { Machine, type RunNode } from "./machine.ts";
import { PROGRAMS } from "./programs.ts";
import { SkillBytes } from "./skill-bytes.ts";
import { usr } from "./usr.ts";

const CACHE_BYTES = 24 << 20;

const cache = new ByteCache(CACHE_BYTES);

/** Apart from files of skills: a large skill must not push out what all use. */
const PACKAGE_BYTES = 24 << 20;

const packageCache = new ByteCache(PACKAGE_BYTES);

interface Subject {
  readonly skill_files: readonly RunSkillFile[];
  readonly packages: readonly Digest[];
  readonly programs: readonly string[];
  readonly loopback_ports: readonly number[];
  readonly files: readonly RunInputFile[];
  readonly limits: RunLimits;
  readonly deadline: number;
}

/** What the programs of a run have around them. */
interface Surroundings {
  readonly host: ChildHost;
  readonly door: NodeDoor;
  readonly budget: RunBudget;
}

interface Stage {
  readonly layout: Layout;
  readonly skill: SkillBytes;
  /** Paths that every child of the run begins with. */
  readonly initial: Set<string>;
  readonly machine: Machine;
  readonly state: RunState;
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
}

export default class Box extends WorkerEntrypoint {
  /** Runs a script of the skill. */
  run(run: ChildRun, host: ChildHost, door: NodeDoor): Promise<ChildResult | ChildFailure> {
    return withinBudget(run.run, 0, (budget) => this.#run(run, { host, door, budget }));
  }

  async #run(run: ChildRun, around: Surroundings): Promise<ChildResult | ChildFailure> {
    const stdin = new TextEncoder().encode(run.stdin);
    const stage = await prepare(run, around, stdin, run.limits.output_bytes);
    if ("failed" in stage) {
      return stage;
    }
    const { layout, skill, state, stdout, stderr } = stage;
    const exit_code = await perform(stage, () =>
      stage.machine.first(run.runtime === "python" ? "python3" : "bash", {
        machine: stage.machine,
        args: [run.script, ...run.argv],
        cwd: SKILL_ROOT,
        env: ENVIRONMENT,
        stdin,
        stdout,
        stderr,
      }),
    );
    // What still goes on in the background has no part in it.
    const printed = { stdout: stdout.text(), stderr: stderr.text() };
    const isCut = stdout.truncated || stderr.truncated;
    const changes = await bringChanges(layout).then(
      (brought) => collectChanges(brought, run.limits),
      () => null,
    );
    if (skill.failure !== null || changes === null) {
      return { failed: skill.failure ?? "files of the run are not there" };
    }
    if (changes.cut || layout.files.store.exhausted) {
      state.note("files");
    }
    return {
      exit_code,
      ...printed,
      timed_out: state.stopped === "wall" || state.stopped === "cpu",
      truncated: isCut || changes.cut,
      limit: state.limit,
      duration_ms: Date.now() - state.startedAt,
      files: changes.files,
    };
  }

  /** Runs one program for a JavaScript run, on the files as that run has them. */
  spawn(order: SpawnOrder, host: ChildHost, door: NodeDoor): Promise<SpawnOutcome | ChildFailure> {
    return withinBudget(order.run, order.started, (budget) => this.#spawn(order, { host, door, budget }));
  }

  async #spawn(order: SpawnOrder, around: Surroundings): Promise<SpawnOutcome | ChildFailure> {
    const stage = await prepare(order, around, order.stdin, order.limits.memory_bytes / 4);
    if ("failed" in stage) {
      return stage;
    }
    const { layout, skill, state, machine, stdout, stderr } = stage;
    try {
      applyDelta(layout.files, order.delta, "shared");
    } catch (error) {
      return { failed: error instanceof Error ? error.message : String(error) };
    }
    for (const { path } of order.delta.files) {
      // Another child knows nothing of it.
      stage.initial.delete(path);
    }
    const before = pathsOf(layout.files);
    const [name = "", ...args] = order.argv;
    const { cwd, env, stdin } = order;
    const isProgram = machine.has(name);
    const status = await perform(stage, () =>
      machine.start(isProgram ? name : "bash", {
        machine,
        args: isProgram ? args : ["-c", '"$0" "$@"', name, ...args],
        cwd,
        env,
        stdin,
        stdout,
        stderr,
      }),
    );
    await bringWhere(layout.files, (path) => !before.has(path)).catch(() => undefined);
    if (skill.failure !== null) {
      return { failed: skill.failure };
    }
    if (layout.files.store.exhausted) {
      state.note("files");
    }
    return {
      status: status ?? 137,
      started: around.budget.processes,
      ...(state.limit === null ? {} : { noted: state.limit }),
      stdout: stdout.bytes(),
      stderr: stderr.bytes(),
      delta: takeDelta(layout.files, before),
    };
  }
}

async function prepare(
  subject: Subject,
  { host, door, budget }: Surroundings,
  stdin: Uint8Array,
  outputBytes: number,
): Promise<Stage | ChildFailure> {
  const bytes = new SkillBytes(subject.skill_files, cache, host);
  let skill: Awaited<ReturnType<SkillBytes["place"]>>;
  let tree: DirNode;
  try {
    const zips = await readThrough(packageCache, subject.packages, (missing) => host.readFiles(missing));
    tree = withPackages(usr, subject.packages, zips);
    skill = await bytes.place();
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
  const state = new RunState(subject.limits, subject.deadline, budget);
  const stdout = new OutputSink(outputBytes);
  const stderr = new OutputSink(outputBytes);
  const layout = layOut({
    skill,
    inputs: subject.files,
    quota: subject.limits.file_bytes,
    usr: tree,
    now: () => Date.now(),
    terminal: {
      stdin: reader(stdin),
      stdout: { read: () => 0, write: (piece) => stdout.write(piece) },
      stderr: { read: () => 0, write: (piece) => stderr.write(piece) },
    },
  });
  const network = (request: Request) => host.fetch(request);
  const initial = subject.programs.length > 0 ? pathsOf(layout.files) : new Set<string>();
  const node = nodeRunner(door, subject.programs, layout.files, initial);
  const loopbackPorts = new Set(subject.loopback_ports);
  const machine = new Machine({ files: layout.files, state, programs: PROGRAMS, network, loopbackPorts, node });
  return { layout, skill: bytes, initial, state, stdout, stderr, machine };
}

/** Runs packed scripts in a child of their own, on the files as they are; what they change comes back. */
function nodeRunner(door: NodeDoor, programs: readonly string[], files: Vfs, initial: ReadonlySet<string>): RunNode {
  const known = new Set(programs.map((path) => `${SKILL_ROOT}/${path}`));
  return (path, { args, cwd, env, stdin, stdout, stderr, machine }) => {
    const script = known.has(path) ? path.slice(SKILL_ROOT.length + 1) : null;
    if (script === null) {
      return null;
    }
    return (async () => {
      try {
        await bringWhere(files, (path) => !initial.has(path));
        const delta = takeDelta(files, initial);
        const answering = door.node({ script, argv: args, cwd, env, stdin, delta });
        // It is stopped by the same clock, and what it has printed until then is on its way.
        const answer = await machine.untilStopped(answering).catch(() => machine.atOnce(answering));
        if (answer?.noted !== undefined) {
          machine.state.note(answer.noted);
        }
        if (answer?.limit !== undefined) {
          // Its answer may be here before the clock's.
          machine.state.stop(answer.limit);
        }
        if (answer !== null) {
          applyDelta(files, answer.delta, "written");
          stdout.write(answer.stdout);
          stderr.write(answer.stderr);
        }
        machine.state.throwIfStopped();
        return answer?.status ?? 1;
      } catch (error) {
        machine.state.throwIfStopped();
        stderr.writeText(`node: ${error instanceof Error ? error.message : String(error)}\n`);
        return 1;
      }
    })();
  };
}

/** The exit status of a program, or null when its run was stopped. */
async function perform({ state, machine }: Stage, program: () => Promise<number>): Promise<number | null> {
  state.begin();
  try {
    const status = await program();
    // Its last call may have taken longer than there was time, with no turn for the clock.
    state.look();
    return status;
  } catch (error) {
    if (error instanceof Stopped || state.stopped !== null) {
      await machine.wound();
      return null;
    }
    throw error;
  } finally {
    state.end();
  }
}

/** `/dev/stdin`: the run's input once more, from its beginning. */
function reader(bytes: Uint8Array): Device {
  let at = 0;
  return {
    read: (into) => {
      const piece = bytes.subarray(at, at + into.length);
      into.set(piece);
      at += piece.length;
      return piece.length;
    },
    write: () => undefined,
  };
}
