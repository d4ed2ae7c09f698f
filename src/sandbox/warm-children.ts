/**
 * Owns children that several runs share: which one serves a name now, a fresh one after anything went wrong with it, one more try when one was
 * left over from an earlier version of the Worker. Never what runs in them.
 */
/** How long after its deadline a run may still be answered before its child counts as one that hangs. */
const HUNG_MS = 3_000;
/** Names whose faults are remembered. */
const MOST_NAMES = 10_000;

/**
 * What the platform says when a child is left over from an earlier version of the Worker, or was lost before it took the call. Such a child
 * answers nothing any more.
 */
const STALE = /Unable to deserialize cloned data|internal error; reference/i;

/** What the platform says of a call that failed by itself; the child's other calls have nothing to do with it. */
const OWN_FAULT = /CPU|SyntaxError/i;

/** The runs that are in a child just now, and whether it died under several of them. */
interface Company {
  readonly runs: string[];
  isLost: boolean;
}

const companies = new Map<string, Company>();

/** A child that died with several runs in it: any of them may be why. */
export class LostChild extends Error {}

/** How often the child of a name was given up: its id changes with it, so that the loader makes a new one. */
const generations = new Map<string, number>();

/** The generation of names that are not remembered: above those of all that were forgotten, whose children may still be there. */
let newest = 0;

const generationOf = (name: string) => generations.get(name) ?? newest;

/** The part of the loader that gives children by id. */
export interface NamedChildren<Code> {
  get(
    id: string,
    code: () => Code,
  ): Partial<Disposable> & { getEntrypoint(name: undefined, options: { limits: { cpuMs: number } }): object };
}

export interface WarmCall<Code> {
  /** The id of the run that calls. */
  readonly run: string;
  readonly loader: NamedChildren<Code>;
  /** The child's id, but for its generation. */
  readonly name: string;
  /** Made before the loader is asked: one that fails there would spoil the id. */
  readonly code: Code;
  readonly cpuMs: number;
  /** When the run's time is up, milliseconds since 1970; null for a child that sees to it itself. */
  readonly deadline: number | null;
  /** Whether what the call may have done can be done again. */
  readonly mayRepeat: () => boolean;
}

/**
 * Calls the child of a name.
 * @param work answers whether the child can serve others, beside its own answer; where it throws the child is given up as well
 */
export async function callWarm<Entry, T, Code>(
  call: WarmCall<Code>,
  work: (entry: Entry) => Promise<{ readonly answer: T; readonly child: "good" | "spent" }>,
): Promise<T> {
  try {
    return await callOnce(call, work);
  } catch (error) {
    const cause = error instanceof LostChild ? error.cause : error;
    if (!(STALE.test(String(cause)) && call.mayRepeat())) {
      throw error;
    }
  }
  return await callOnce(call, work);
}

async function callOnce<Entry, T, Code>(
  { loader, run, name, code, cpuMs, deadline }: WarmCall<Code>,
  work: (entry: Entry) => Promise<{ readonly answer: T; readonly child: "good" | "spent" }>,
): Promise<T> {
  const generation = generationOf(name);
  const id = `${name}:${generation}`;
  const child = loader.get(id, () => code);
  const entry = child.getEntrypoint(undefined, { limits: { cpuMs } }) as Entry & Partial<Disposable>;
  const leave = enter(id, run);
  const hung =
    deadline === null
      ? undefined
      : setTimeout(() => giveUp(name, generation), Math.max(0, deadline + HUNG_MS - Date.now()));
  try {
    const { answer, child: state } = await work(entry);
    if (state === "spent") {
      giveUp(name, generation);
    }
    return answer;
  } catch (cause) {
    giveUp(name, generation);
    throw blamed(id, run, cause);
  } finally {
    leave();
    clearTimeout(hung);
    entry[Symbol.dispose]?.();
    child[Symbol.dispose]?.();
  }
}

function enter(id: string, run: string): () => void {
  const company = companies.get(id) ?? { runs: [], isLost: false };
  companies.set(id, company);
  company.runs.push(run);
  return () => {
    company.runs.splice(company.runs.indexOf(run), 1);
    if (company.runs.length === 0) {
      companies.delete(id);
    }
  };
}

/** What a run is told whose child failed: its own fault, or that others were in the child as well. */
function blamed(id: string, run: string, cause: unknown): unknown {
  const company = companies.get(id);
  if (company === undefined) {
    return cause;
  }
  company.isLost ||= company.runs.some((other) => other !== run);
  return company.isLost && !OWN_FAULT.test(String(cause)) && !wasThrownThere(cause)
    ? new LostChild("the isolate of the run died, and another run in it may be why", { cause })
    : cause;
}

/** Tells an error that the child's code threw, and lives on, from a child that is gone. */
function wasThrownThere(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "remote" in cause && cause.remote === true;
}

/** Later runs get a child that has seen nothing. */
function giveUp(name: string, generation: number): void {
  if (generationOf(name) !== generation) {
    return;
  }
  generations.delete(name);
  generations.set(name, generation + 1);
  const [oldest] = generations;
  if (generations.size > MOST_NAMES && oldest !== undefined) {
    const [forgotten, last] = oldest;
    generations.delete(forgotten);
    newest = Math.max(newest, last + 1);
  }
}
