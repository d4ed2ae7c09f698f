/**
 * Owns the local way to the runner: a Worker beside the edge that sends each run to one of several runner processes, and again to another
 * when its process is lost. Never there in production, where the platform keeps isolates from blocking each other.
 */
import { RpcTarget, WorkerEntrypoint } from "cloudflare:workers";
import type { Digest } from "../model/digest.ts";
import type { RunHost, RunnerService, RunRefusal, RunRequest, RunResult } from "../model/run.ts";
import type { BegunAt, Fate, Place, PlaceMessage } from "../model/run-place.ts";
import { RunReport } from "./run-report.ts";
import { stopped } from "./stopped.ts";

/** How long a run goes on before the pool is told of it: most of JavaScript's are over by then. */
const UNTOLD_MS = 20;

/** How long the pool's word on where runs go is taken for true. It ends processes that it has heard of no run in for much longer. */
const TRUST_MS = 5_000;

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

/** Where a run that comes now probably goes, and when the pool said so: it begins there before the pool is told. Null when that has to be asked. */
let likely: { readonly process: number; readonly saidAt: number } | null = { process: 0, saidAt: 0 };

/** Runs that were lost, the newest last: where one of these begins again is for the pool to say. */
const lost = new Set<string>();
const MOST_LOST = 1_000;

const OVER: Fate = { over: true };

/** What one attempt came to. */
type Attempt = RunResult | RunRefusal | Exclude<Fate, { over: true }>;

/** The run service as the edge sees it. */
export class Runner extends WorkerEntrypoint<Env> implements RunnerService {
  async run(request: RunRequest, host: RunHost): Promise<RunResult | RunRefusal> {
    const { id } = request;
    const report = new RunReport(request, (message) => this.#tell(message));
    try {
      for (let guess = lost.has(id) ? null : likely; ; guess = null) {
        const calls = new Calls(host, () => this.ctx.waitUntil(report.note("alive")));
        const early = guess === null ? null : this.#early(guess, request, calls, report);
        const answer = await (early ?? this.#placed(request, calls, report));
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
      this.ctx.waitUntil(report.note("end"));
    }
  }

  /** One attempt in the process that the pool says. */
  async #placed(request: RunRequest, calls: Calls, report: RunReport): Promise<Attempt> {
    const place = await this.#begin(report);
    if ("process" in place) {
      return await this.#attempt(place.process, request, calls, (event) => report.ask(event));
    }
    if ("given_up" in place) {
      return lostFor(request.id, place.given_up);
    }
    const retry_after_ms = "busy" in place ? place.retry_after_ms : 0;
    return { refused: "runner-busy", message: "every runner process is blocked", retry_after_ms };
  }

  /** One attempt where runs went last. The pool is told of it if it is not over at once, or fails; then it counts if its process is up. */
  async #early(
    guess: NonNullable<typeof likely>,
    request: RunRequest,
    calls: Calls,
    report: RunReport,
  ): Promise<Attempt> {
    const { process, saidAt } = guess;
    const begunAt = Date.now();
    let said: Promise<Place> | null = null;
    const tell = () => (said ??= this.#begin(report, { process, ago_ms: Date.now() - begunAt }));
    const attempt = this.#attempt(process, request, calls, async (event) => {
      const place = await tell();
      // Of an attempt that does not count the pool is told nothing: it would take that for the run's place.
      return "process" in place ? await report.ask(event) : OVER;
    });
    // It may fail after it is known that it does not count.
    attempt.catch(() => undefined);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const nowhere = new Promise<Attempt>((resolve, reject) => {
      const say = () =>
        tell().then(
          (place) => "process" in place || resolve({ lost: "its process went away, and another run in it may be why" }),
          reject,
        );
      if (begunAt - saidAt < TRUST_MS) {
        timer = setTimeout(say, UNTOLD_MS);
      } else {
        say();
      }
    });
    try {
      return await Promise.race([attempt, nowhere]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Tells the pool of the run, and keeps in mind where the next one goes. */
  async #begin(report: RunReport, at?: BegunAt): Promise<Place> {
    const place = await report.begin(at);
    if ("process" in place) {
      const { process, next = process } = place;
      likely = next === null ? null : { process: next, saidAt: Date.now() };
    }
    return place;
  }

  /**
   * One attempt in one process: the run's answer, or what became of it.
   * @param ask has the pool say what became of it
   */
  async #attempt(process: number, request: RunRequest, calls: Calls, ask: RunReport["ask"]): Promise<Attempt> {
    const runner = this.env[`PROCESS_${process}`];
    if (runner === undefined) {
      throw new Error(`there is no runner process ${process}`);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const givenUp = new Promise<Exclude<Fate, { over: true }>>((resolve, reject) => {
      timer = setTimeout(() => ask("wait").then((fate) => "over" in fate || resolve(fate), reject), WAIT_AFTER_MS);
    });
    try {
      const answer = await Promise.race([runner.run({ ...request, sent_at: Date.now() }, calls), givenUp]);
      const outOfTime = "limit" in answer && answer.limit === "wall" && !calls.used;
      // Others may have had its time.
      const fate = outOfTime ? await ask("stopped") : OVER;
      return "lost" in fate ? fate : answer;
    } catch (error) {
      if (wasThrownThere(error)) {
        throw error;
      }
      const fate = await ask("gone");
      return "over" in fate ? { lost: "the runner process went away" } : fate;
    } finally {
      clearTimeout(timer);
    }
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
