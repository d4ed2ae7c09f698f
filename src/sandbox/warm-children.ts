/**
 * Owns children that several runs share: which one serves a name now, a fresh one after anything went wrong with it, one more try when one was
 * left over from an earlier version of the Worker. Never what runs in them.
 */
/** How long after its deadline a run may still be answered before its child counts as one that hangs. */
const HUNG_MS = 500;
/** Names whose faults are remembered. */
const MOST_NAMES = 10_000;

/**
 * What the platform says when a child is left over from an earlier version of the Worker, or was lost before it took the call. Such a child
 * answers nothing any more.
 */
const STALE = /Unable to deserialize cloned data|internal error; reference/i;

/** How often the child of a name was given up: its id changes with it, so that the loader makes a new one. */
const generations = new Map<string, number>();

/** The part of the loader that gives children by id. */
export interface NamedChildren<Code> {
  get(
    id: string,
    code: () => Code,
  ): Partial<Disposable> & { getEntrypoint(name: undefined, options: { limits: { cpuMs: number } }): object };
}

export interface WarmCall<Code> {
  readonly loader: NamedChildren<Code>;
  /** The child's id, but for its generation. */
  readonly name: string;
  /** Made before the loader is asked: one that fails there would spoil the id. */
  readonly code: Code;
  readonly cpuMs: number;
  /** When the run's time is up, milliseconds since 1970. */
  readonly deadline: number;
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
    if (!(STALE.test(String(error)) && call.mayRepeat())) {
      throw error;
    }
  }
  return await callOnce(call, work);
}

async function callOnce<Entry, T, Code>(
  { loader, name, code, cpuMs, deadline }: WarmCall<Code>,
  work: (entry: Entry) => Promise<{ readonly answer: T; readonly child: "good" | "spent" }>,
): Promise<T> {
  const generation = generations.get(name) ?? 0;
  const child = loader.get(`${name}:${generation}`, () => code);
  const entry = child.getEntrypoint(undefined, { limits: { cpuMs } }) as Entry & Partial<Disposable>;
  const hung = setTimeout(() => giveUp(name, generation), Math.max(0, deadline + HUNG_MS - Date.now()));
  try {
    const { answer, child: state } = await work(entry);
    if (state === "spent") {
      giveUp(name, generation);
    }
    return answer;
  } catch (error) {
    giveUp(name, generation);
    throw error;
  } finally {
    clearTimeout(hung);
    entry[Symbol.dispose]?.();
    child[Symbol.dispose]?.();
  }
}

/** Later runs get a child that has seen nothing. */
function giveUp(name: string, generation: number): void {
  if ((generations.get(name) ?? 0) !== generation) {
    return;
  }
  generations.delete(name);
  generations.set(name, generation + 1);
  const [oldest] = generations.keys();
  if (generations.size > MOST_NAMES && oldest !== undefined) {
    generations.delete(oldest);
  }
}
