/** Owns what the pool of local runner processes is told of one run, and in which order; never where a run goes. */
import type { RunRequest } from "../model/run.ts";
import type { BegunAt, Fate, Place, PlaceMessage } from "../model/run-place.ts";

export class RunReport {
  readonly #request: Pick<RunRequest, "id" | "limits">;
  readonly #tell: (message: PlaceMessage) => Promise<unknown>;
  #place: Promise<Place> | null = null;

  /** @param tell gives the pool a message, and what it answers back */
  constructor(request: Pick<RunRequest, "id" | "limits">, tell: (message: PlaceMessage) => Promise<unknown>) {
    this.#request = request;
    this.#tell = tell;
  }

  /** The run wants a process, or has begun in one. */
  begin(at?: BegunAt): Promise<Place> {
    const { id, limits } = this.#request;
    const { timeout_ms, cpu_ms } = limits;
    const begun = at === undefined ? {} : { at };
    this.#place = this.#tell({ event: "begin", id, timeout_ms, cpu_ms, ...begun }) as Promise<Place>;
    return this.#place;
  }

  /** What became of the run, which the pool knows of. */
  async ask(event: "wait" | "gone" | "stopped"): Promise<Fate> {
    return (await this.#say(event)) as Fate;
  }

  /** The run has asked for something just now, or is over. A pool that knows nothing of it need not know that either. */
  async note(event: "alive" | "end"): Promise<void> {
    if (this.#place !== null) {
      await this.#place;
      await this.#say(event);
    }
  }

  #say(event: Exclude<PlaceMessage["event"], "begin">): Promise<unknown> {
    return this.#tell({ event, id: this.#request.id });
  }
}
