/** Owns runs of Python and shell: which warm child serves them, and a new one when a child went bad; never JavaScript. */
import type { RunRequest } from "../model/run.ts";
import { boxCode, type Loader } from "./children.ts";
import version from "./generated/version.txt";
import type {
  ChildFailure,
  ChildHost,
  ChildResult,
  ChildRun,
  NodeDoor,
  SpawnAnswer,
  SpawnOrder,
  SpawnRequest,
} from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

interface BoxEntry {
  run(run: ChildRun, host: ChildHost, door: NodeDoor): Promise<ChildResult | ChildFailure>;
  spawn(order: SpawnOrder, host: ChildHost, door: NodeDoor): Promise<SpawnAnswer | ChildFailure>;
}

/** How often the child of a slot was given up: its name changes, so that the loader makes a new one. */
const generations = new Map<string, number>();

/** Runs a Python or shell script in a warm child of the caller. */
export async function runInBox(
  { loader, request, host, deadline, slot }: RunOrder,
  door: NodeDoor,
): Promise<ChildResult> {
  const { runtime } = request.script;
  if (runtime === "javascript") {
    throw new Error("JavaScript has children of its own");
  }
  const { argv, stdin, files, limits } = request;
  const script = request.script.path;
  const run: ChildRun = { runtime, script, argv, stdin, ...subjectOf(request), files, limits, deadline };
  return await inBox(loader, `${request.isolation}:${slot}`, limits.cpu_ms, (box) => box.run(run, host, door));
}

/** Runs one program for a JavaScript run, in the first box of its caller. */
export async function spawnInBox(order: RunOrder, asked: SpawnRequest, door: NodeDoor): Promise<SpawnAnswer> {
  const { loader, request, host, deadline } = order;
  const { files, limits } = request;
  const spawn: SpawnOrder = { ...asked, ...subjectOf(request), files, limits, deadline };
  return await inBox(loader, `${request.isolation}:${order.slot}`, request.limits.cpu_ms, (box) =>
    box.spawn(spawn, host, door),
  );
}

/** What of a request every program of the box needs. */
function subjectOf({ skill_files, packages = [], programs = [] }: RunRequest) {
  return { skill_files, packages, programs: programs.map(({ path }) => path) };
}

async function inBox<T extends object>(
  loader: Loader,
  name: string,
  cpuMs: number,
  work: (box: BoxEntry) => Promise<T | ChildFailure>,
): Promise<T> {
  const answer = await askBox(loader, name, cpuMs, work);
  if ("failed" in answer) {
    throw new Error(answer.failed);
  }
  return answer;
}

async function askBox<T>(loader: Loader, name: string, cpuMs: number, work: (box: BoxEntry) => Promise<T>): Promise<T> {
  const generation = generations.get(name) ?? 0;
  const code = boxCode();
  const child = loader.get(`edge-skills-box:${version}:${name}:${generation}`, () => code);
  const box = child.getEntrypoint(undefined, { limits: { cpuMs } }) as unknown as BoxEntry & Partial<Disposable>;
  try {
    return await work(box);
  } catch (error) {
    // Whatever broke it: the next run gets a child that has seen nothing.
    generations.set(name, generation + 1);
    throw error;
  } finally {
    box[Symbol.dispose]?.();
  }
}
