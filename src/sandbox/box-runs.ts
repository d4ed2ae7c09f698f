/** Owns runs of Python and shell: which warm child serves them, and a new one when a child went bad; never JavaScript. */
import type { RunRequest } from "../model/run.ts";
import { ActingHost } from "./acting-host.ts";
import { boxChildId } from "./child-id.ts";
import { boxCode, boxVersion, type WorkerCode } from "./children.ts";
import type {
  ChildFailure,
  ChildHost,
  ChildResult,
  ChildRun,
  NodeDoor,
  SpawnOrder,
  SpawnOutcome,
  SpawnRequest,
} from "./protocol.ts";
import type { RunOrder } from "./run-order.ts";
import { callWarm } from "./warm-children.ts";

interface BoxEntry {
  run(run: ChildRun, host: ChildHost, door: NodeDoor): Promise<ChildResult | ChildFailure>;
  spawn(order: SpawnOrder, host: ChildHost, door: NodeDoor): Promise<SpawnOutcome | ChildFailure>;
}

/** Runs a Python or shell script in a warm child of the caller. */
export async function runInBox(order: RunOrder, door: NodeDoor): Promise<ChildResult> {
  const { request, deadline } = order;
  const { runtime } = request.script;
  if (runtime === "javascript") {
    throw new Error("JavaScript has children of its own");
  }
  const { argv, stdin, files, limits } = request;
  const script = request.script.path;
  const run: ChildRun = {
    run: request.id,
    runtime,
    script,
    argv,
    stdin,
    ...subjectOf(request),
    files,
    limits,
    deadline,
  };
  return await inBox(order, (box) => box.run(run, new ActingHost(order), door));
}

/**
 * Runs one program for a JavaScript run, in a box of its caller that has room.
 * @param started how many programs the run has started before this one
 */
export async function spawnInBox(
  order: RunOrder,
  asked: SpawnRequest,
  started: number,
  door: NodeDoor,
): Promise<SpawnOutcome> {
  const { request, deadline } = order;
  const { files, limits } = request;
  const spawn: SpawnOrder = { ...asked, run: request.id, started, ...subjectOf(request), files, limits, deadline };
  return await inBox(order, (box) => box.spawn(spawn, new ActingHost(order), door));
}

/** What of a request every program of the box needs. */
function subjectOf({ skill_files, packages = [], programs = [], loopback_ports = [] }: RunRequest) {
  return { skill_files, packages, programs: programs.map(({ path }) => path), loopback_ports };
}

async function inBox<T extends object>(
  order: RunOrder,
  work: (box: BoxEntry) => Promise<T | ChildFailure>,
): Promise<T> {
  const answer = await askBox(order, work);
  if ("failed" in answer) {
    throw new Error(answer.failed);
  }
  return answer;
}

async function askBox<T>(order: RunOrder, work: (box: BoxEntry) => Promise<T>): Promise<T> {
  const { loader, request, boxSlot, acts } = order;
  const id = await boxChildId({ version: boxVersion(), tenant: request.isolation });
  return await callWarm<BoxEntry, T, WorkerCode>(
    {
      loader,
      run: request.id,
      name: `${id}:${boxSlot()}`,
      code: boxCode(),
      cpuMs: request.limits.cpu_ms,
      deadline: null,
      mayRepeat: () => !acts.any,
    },
    async (box) => ({ answer: await work(box), child: "good" }),
  );
}
