/**
 * Owns the local way to the runner: a Worker beside the edge that sends each run to one of several runner processes, and again to another
 * when its process is lost. Never there in production, where the platform keeps isolates from blocking each other.
 */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import type { RunHost, RunnerService, RunRefusal, RunRequest, RunResult } from "../model/run.ts";
import type { Fate, Place, PlaceMessage } from "../model/run-place.ts";
import { stopped } from "./stopped.ts";

/** How long a run goes on before its front asks to be told of its end: most are over by then. */
const WAIT_AFTER_MS = 300;

/** How often an attempt that uses the network says so. */
const SIGN_MS = 200;

interface Env {
  /** The pool, in the process that supervises (deploy/runner-pool.ts). */
  readonly POOL: {
    fetch(input: string, init: { method: string; body: string }): Promise<{ json(): Promise<unknown> }>;
  };
  /** Where it takes messages. */
  readonly POOL_PATH: string;
  /** The runner processes, `PROCESS_0` the first. */
  readonly [process: `PROCESS_${number}`]: RunnerService;
}

/** Where a run that comes now probably goes: it begins there while the pool is told. Null when that has to be asked. */
let likely: number | null = 0;

/** Runs that were lost, the newest last: where one of these begins again is for the pool to say. */
const lost = new Set<string>();
const MOST_LOST = 1_000;

/** What one attempt came to. */
type Attempt = RunResult | RunRefusal | Exclude<Fate, { over: true }>;

/** The run service as the edge sees it. */
export class Runner extends WorkerEntrypoint<Env> implements RunnerService {
  async run(request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
    const { id } = request;
    try {
      for (let guess = lost.has(id) ? null : likely; ; guess = null) {
        const calls = new Calls(host, () => this.ctx.waitUntil(this.#tell({ event: "alive", id })));
        const answer = await this.#once(guess, request, calls);
        calls.close();
        if (!("lost" in answer)) {
          return "stopped" in answer ? stopped(answer.stopped, answer.after_ms) : answer;
        }
        likely = null;
        if (calls.used) {
          return lostFor(id, answer.lost);
        }
      }
    } finally {
      this.ctx.waitUntil(this.#tell({ event: "end", id }));
    }
  }

  /** One attempt, in the process that the pool says. With a guess it begins there while the pool is told; it counts if the pool agrees. */
  async #once(guess: number | null, request: RunRequest, calls: Calls): Promise<Attempt> {
    const { id, limits } = request;
    const { timeout_ms, cpu_ms } = limits;
    const at = guess === null ? {} : { at: guess };
    const told = this.#tell({ event: "begin", id, timeout_ms, cpu_ms, ...at }) as Promise<Place>;
    const early = guess === null ? null : this.#attempt(guess, request, calls, told);
    // It may fail before it is known that it does not count.
    early?.catch(() => undefined);
    const place = await told;
    if ("busy" in place) {
      const message = "every runner process is blocked";
      return calls.used ? { lost: message } : { refused: "runner-busy", message, retry_after_ms: place.retry_after_ms };
    }
    if ("given_up" in place) {
      return lostFor(id, place.given_up);
    }
    likely = place.next ?? place.process;
    if (early !== null && place.process !== guess) {
      return { lost: "its process was not there" };
    }
    const answer = await (early ?? this.#attempt(place.process, request, calls, told));
    return calls.used ? answer : this.#looked(id, answer);
  }

  /** What became of a run that its clock has stopped: others may have had its time. */
  async #looked(id: string, answer: Attempt): Promise<Attempt> {
    if (!("limit" in answer) || answer.limit !== "wall") {
      return answer;
    }
    const fate = (await this.#tell({ event: "stopped", id })) as Fate;
    return "lost" in fate ? fate : answer;
  }

  /**
   * One attempt in one process: the run's answer, or what became of it.
   * @param told settles when the pool knows of it: nothing else is said before that
   */
  async #attempt(process: number, request: RunRequest, calls: Calls, told: Promise<Place>): Promise<Attempt> {
    const { id } = request;
    const runner = this.env[`PROCESS_${process}`];
    if (runner === undefined) {
      throw new Error(`there is no runner process ${process}`);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const givenUp = new Promise<Exclude<Fate, { over: true }>>((resolve, reject) => {
      timer = setTimeout(() => {
        this.#ask("wait", id, process, told).then((fate) => "over" in fate || resolve(fate), reject);
      }, WAIT_AFTER_MS);
    });
    try {
      return await Promise.race([runner.run(request, calls), givenUp]);
    } catch (error) {
      if (wasThrownThere(error)) {
        throw error;
      }
      const fate = await this.#ask("gone", id, process, told);
      return "over" in fate ? { lost: "the runner process went away" } : fate;
    } finally {
      clearTimeout(timer);
    }
  }

  /** What became of an attempt. Of one that does not count the pool is told nothing: it would take that for the run's place. */
  async #ask(event: "wait" | "gone", id: string, process: number, told: Promise<Place>): Promise<Fate> {
    const place = await told;
    const counts = "process" in place && place.process === process;
    return counts ? ((await this.#tell({ event, id })) as Fate) : { over: true };
  }

  async #tell(message: PlaceMessage): Promise<unknown> {
    const { POOL, POOL_PATH } = this.env;
    const response = await POOL.fetch(`http://pool${POOL_PATH}`, { method: "POST", body: JSON.stringify(message) });
    return await response.json();
  }
}

/** The answer for a run that was lost; it is remembered, since the edge may send it again. */
function lostFor(id: string, message: string): RunRefusal {
  lost.add(id);
  const [oldest] = lost;
  if (lost.size > MOST_LOST && oldest !== undefined) {
    lost.delete(oldest);
  }
  return { refused: "runner-lost", message };
}

/** Tells an error that the runner's own code threw from a process that is not there. */
function wasThrownThere(error: unknown): boolean {
  return typeof error === "object" && error !== null && "remote" in error && error.remote === true;
}

/** The run's way to the edge during one attempt. One that was given up reaches nothing any more: what goes on in a lost process must not act. */
class Calls extends RpcTarget implements RunHost {
  #used = false;
  #asking = 0;
  readonly #host: RunHost;
  readonly #onSign: () => void;
  #signedAt = 0;
  #closed = false;

  /** @param onSign told now and then that the attempt is alive */
  constructor(host: RunHost, onSign: () => void) {
    super();
    this.#host = host;
    this.#onSign = onSign;
  }

  close(): void {
    this.#closed = true;
  }

  readFiles(digests: readonly Digest[]): Promise<Uint8Array[]> {
    this.#throwIfClosed();
    return this.#host.readFiles(digests);
  }

  async fetch(request: Request): Promise<Response> {
    this.#throwIfClosed();
    this.#sign();
    this.#asking++;
    const response = await this.#host.fetch(request);
    this.#asking--;
    this.#used ||= response.headers.get("x-egress") !== "refused";
    return response;
  }

  /** Whether something may have been done outside. */
  get used(): boolean {
    return this.#used || this.#asking > 0;
  }

  #sign(): void {
    const now = Date.now();
    if (now - this.#signedAt >= SIGN_MS) {
      this.#signedAt = now;
      this.#onSign();
    }
  }

  #throwIfClosed(): void {
    if (this.#closed) {
      throw new Error("the run was given up");
    }
  }
}

export default {};
