/**
 * Owns keeping what a source answered: per isolation key, for a time, bounded, and still used when the source fails. Keeps lists, never a
 * failure, and no promise beyond its call unless it is told that the runtime allows it.
 */
import { SkillsError } from "../model/errors.ts";
import { NO_LOG, type SkillsLogger } from "../model/log.ts";
import type { AgentSkill, AgentSkillsSource, AgentSkillsSourceContext } from "../model/skill.ts";
import { BoundedMap } from "./bounded-map.ts";
import { DelegatingAgentSkillsSource } from "./delegating-source.ts";
import { byTenant, hasGone, type IsolationKey, keyText } from "./isolation.ts";
import { SharedCall } from "./shared-call.ts";

/** How answers are kept. */
export interface CachingOptions {
  /** Whom an answer may be given to again; default: callers of the same tenant. */
  readonly isolationKey?: IsolationKey;
  /** How long an answer counts, milliseconds; default: for good. 0 or less: each call asks, and only failures use what was known. */
  readonly refreshIntervalMs?: number;
  /** Tells whether the answer just given was whole; one that was not is asked for again after `retryMs`. Default: all are. */
  readonly isComplete?: (context: AgentSkillsSourceContext) => boolean;
  /** How long an answer counts that was not whole, milliseconds; default 5 s. */
  readonly retryMs?: number;
  /** How many keys are kept; the one not used for longest goes first. Default 1,000. */
  readonly maxKeys?: number;
  /** How long after its refresh was due an answer is still used while the source fails, milliseconds; default an hour. */
  readonly staleMs?: number;
  /**
   * Whether callers that come while an answer is fetched wait for it. `none` (default): each fetches for itself, as Workers need it, where
   * a promise of one request cannot be awaited by another. `shared`: one fetch for all, for Node and other long-lived processes.
   */
  readonly singleFlight?: "none" | "shared";
  /** Milliseconds of any steady clock. */
  readonly clock?: () => number;
  readonly logger?: SkillsLogger;
}

interface Held {
  readonly skills: readonly AgentSkill[];
  /** When the call that gave it was begun. */
  readonly asOf: number;
  /** How long it counts. */
  readonly forMs: number;
}

/**
 * A source whose answers are kept.
 *
 * @example
 * new CachingAgentSkillsSource(remote, { refreshIntervalMs: 60_000, isolationKey: ({ tenant, agent }) => `${tenant}/${agent}` });
 */
export class CachingAgentSkillsSource extends DelegatingAgentSkillsSource {
  readonly #isolationKey: IsolationKey;
  readonly #refreshMs: number;
  readonly #staleMs: number;
  readonly #retryMs: number;
  readonly #isComplete: (context: AgentSkillsSourceContext) => boolean;
  readonly #clock: () => number;
  readonly #log: SkillsLogger;
  readonly #held: BoundedMap<Held>;
  readonly #flights: Map<string, SharedCall<readonly AgentSkill[]>> | null;
  #isDisposed = false;

  constructor(innerSource: AgentSkillsSource, options: CachingOptions = {}) {
    super(innerSource);
    this.#isolationKey = options.isolationKey ?? byTenant;
    this.#refreshMs = options.refreshIntervalMs ?? Number.POSITIVE_INFINITY;
    this.#staleMs = options.staleMs ?? 60 * 60_000;
    this.#retryMs = options.retryMs ?? 5_000;
    this.#isComplete = options.isComplete ?? (() => true);
    this.#held = new BoundedMap(options.maxKeys ?? 1_000);
    this.#flights = options.singleFlight === "shared" ? new Map() : null;
    this.#clock = options.clock ?? Date.now;
    this.#log = options.logger ?? NO_LOG;
  }

  override async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    if (this.#isDisposed) {
      throw new SkillsError("usage", "Cannot list skills: the source was disposed");
    }
    const key = keyText(this.#isolationKey(context));
    const held = this.#held.get(key);
    if (held !== undefined && this.#clock() - held.asOf < held.forMs) {
      return held.skills;
    }
    try {
      return await this.#fetch(key, context);
    } catch (error) {
      if (held === undefined || hasGone(context) || this.#clock() - held.asOf > held.forMs + this.#staleMs) {
        throw error;
      }
      this.#log.warn("A source of skills failed; what it last answered is used", { error });
      return held.skills;
    }
  }

  override async dispose(): Promise<void> {
    if (!this.#isDisposed) {
      this.#isDisposed = true;
      this.#held.clear();
      await super.dispose();
    }
  }

  #fetch(key: string, context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const flights = this.#flights;
    if (flights === null) {
      return this.#ask(key, context);
    }
    const flight: SharedCall<readonly AgentSkill[]> =
      flights.get(key) ??
      new SharedCall(
        (signal) => this.#ask(key, { ...context, signal }),
        () => flights.get(key) === flight && flights.delete(key),
      );
    flights.set(key, flight);
    return flight.join(context.signal);
  }

  async #ask(key: string, context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const asOf = this.#clock();
    const skills = await this.innerSource.getSkills(context);
    const held = this.#held.get(key);
    // A slower, older call never overwrites a newer one.
    if (!this.#isDisposed && (held === undefined || held.asOf <= asOf)) {
      const forMs = this.#isComplete(context) ? this.#refreshMs : Math.min(this.#refreshMs, this.#retryMs);
      this.#held.set(key, { skills, asOf, forMs });
    }
    return skills;
  }
}
