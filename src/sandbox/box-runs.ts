/** Owns runs of Python and shell: which warm child serves them, and a new one when a child went bad; never JavaScript. */
import { boxCode, type Loader } from "./children.ts";
import version from "./generated/version.txt";
import type { ChildFailure, ChildHost, ChildResult, ChildRun, SpawnAnswer, SpawnOrder } from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";

interface BoxEntry {
  run(run: ChildRun, host: ChildHost): Promise<ChildResult | ChildFailure>;
  spawn(order: SpawnOrder, host: ChildHost): Promise<SpawnAnswer | ChildFailure>;
}

/** How often the child of a slot was given up: its name changes, so that the loader makes a new one. */
const generations = new Map<string, number>();

/** Runs a Python or shell script in a warm child of the caller. */
export async function runInBox({ loader, request, host, deadline, slot }: RunOrder): Promise<ChildResult> {
  const { runtime } = request.script;
  if (runtime === "javascript") {
    throw new Error("JavaScript has children of its own");
  }
  const { argv, stdin, skill_files, packages = [], files, limits } = request;
  const script = request.script.path;
  const run: ChildRun = { runtime, script, argv, stdin, skill_files, packages, files, limits, deadline };
  return await inBox(loader, `${request.isolation}:${slot}`, limits.cpu_ms, (box) => box.run(run, host));
}

/** Runs one program for a JavaScript run, in the first box of its caller. */
export async function spawnInBox(order: RunOrder, spawn: SpawnOrder): Promise<SpawnAnswer> {
  const { loader, request, host } = order;
  return await inBox(loader, `${request.isolation}:${order.slot}`, request.limits.cpu_ms, (box) =>
    box.spawn(spawn, host),
  );
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
