/** Owns runs of Python and shell: which warm child serves them, and a new one when a child went bad; never JavaScript. */
import type { RunRequest } from "../model/run.ts";
import { boxCode } from "./children.ts";
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

/** What the platform says of a call that used up its own CPU time; the isolate's other calls have nothing to do with it. */
const OWN_LIMIT = /CPU/i;

/** The runs whose programs are in a child just now, and whether it died under several of them. */
interface Company {
  readonly runs: string[];
  isLost: boolean;
}

const companies = new Map<string, Company>();

/** A child that died with several runs in it: any of them may be why. */
export class LostBox extends Error {}

/** How often the child of a slot was given up: its name changes, so that the loader makes a new one. */
const generations = new Map<string, number>();

/** Runs a Python or shell script in a warm child of the caller. */
export async function runInBox(order: RunOrder, door: NodeDoor): Promise<ChildResult> {
  const { request, host, deadline } = order;
  const { runtime } = request.script;
  if (runtime === "javascript") {
    throw new Error("JavaScript has children of its own");
  }
  const { argv, stdin, files, limits } = request;
  const script = request.script.path;
  const run: ChildRun = { runtime, script, argv, stdin, ...subjectOf(request), files, limits, deadline };
  return await inBox(order, (box) => box.run(run, host, door));
}

/** Runs one program for a JavaScript run, in the first box of its caller. */
export async function spawnInBox(order: RunOrder, asked: SpawnRequest, door: NodeDoor): Promise<SpawnAnswer> {
  const { request, host, deadline } = order;
  const { files, limits } = request;
  const spawn: SpawnOrder = { ...asked, ...subjectOf(request), files, limits, deadline };
  return await inBox(order, (box) => box.spawn(spawn, host, door));
}

/** What of a request every program of the box needs. */
function subjectOf({ skill_files, packages = [], programs = [] }: RunRequest) {
  return { skill_files, packages, programs: programs.map(({ path }) => path) };
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

/** Tells an error that the child's code threw, and lives on, from a child that is gone. */
function wasThrownThere(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "remote" in cause && cause.remote === true;
}

async function askBox<T>({ loader, request, slot }: RunOrder, work: (box: BoxEntry) => Promise<T>): Promise<T> {
  const name = `${request.isolation}:${slot}`;
  const { cpu_ms: cpuMs } = request.limits;
  const generation = generations.get(name) ?? 0;
  const code = boxCode();
  const id = `edge-skills-box:${version}:${name}:${generation}`;
  const child = loader.get(id, () => code);
  const box = child.getEntrypoint(undefined, { limits: { cpuMs } }) as unknown as BoxEntry & Partial<Disposable>;
  const company = companies.get(id) ?? { runs: [], isLost: false };
  companies.set(id, company);
  company.runs.push(request.id);
  try {
    return await work(box);
  } catch (cause) {
    // Whatever broke it: the next run gets a child that has seen nothing.
    generations.set(name, generation + 1);
    company.isLost ||= company.runs.some((run) => run !== request.id);
    if (company.isLost && !OWN_LIMIT.test(String(cause)) && !wasThrownThere(cause)) {
      throw new LostBox("the isolate of the run died, and another run in it may be why", { cause });
    }
    throw cause;
  } finally {
    company.runs.splice(company.runs.indexOf(request.id), 1);
    if (company.runs.length === 0) {
      companies.delete(id);
    }
    box[Symbol.dispose]?.();
  }
}
