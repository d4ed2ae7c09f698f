/**
 * Owns making one source of several: their skills one after the other, in the order of the sources. One that fails takes no other down:
 * it is told, and what it last answered is used.
 */
import { NO_LOG, type SkillsLogger } from "../model/log.ts";
import { type AgentSkill, AgentSkillsSource, type AgentSkillsSourceContext } from "../model/skill.ts";
import { BoundedMap } from "./bounded-map.ts";
import { byTenant, hasGone, type IsolationKey, keyText } from "./isolation.ts";
import { KeptLists } from "./kept-lists.ts";

/** How sources are put together. */
export interface AggregatingOptions {
  /** Whom the last good answer of a source may be given to; default: callers of the same tenant. */
  readonly isolationKey?: IsolationKey;
  /** How many last good answers are kept, of all sources and callers together; default 1,000. */
  readonly maxKept?: number;
  readonly logger?: SkillsLogger;
}

const NO_SKILLS: readonly AgentSkill[] = Object.freeze([]);

type Outcome =
  | { readonly skills: readonly AgentSkill[]; readonly isKnownBefore: boolean }
  | { readonly error: unknown };

/**
 * The skills of several sources. All are asked at once. Throws only when every one of them failed and nothing is known of any.
 *
 * @example
 * new AggregatingAgentSkillsSource([sessionSkills, teamSkills, platformSkills], { logger: console });
 */
export class AggregatingAgentSkillsSource extends AgentSkillsSource {
  readonly #sources: readonly AgentSkillsSource[];
  readonly #isolationKey: IsolationKey;
  readonly #log: SkillsLogger;
  readonly #lastGood: BoundedMap<readonly AgentSkill[]>;
  readonly #kept = new KeptLists();
  /** Keys whose last answer lacked one of the sources. */
  readonly #incomplete: BoundedMap<true>;

  constructor(sources: Iterable<AgentSkillsSource>, options: AggregatingOptions = {}) {
    super();
    this.#sources = [...sources];
    this.#isolationKey = options.isolationKey ?? byTenant;
    this.#lastGood = new BoundedMap(options.maxKept ?? 1_000);
    this.#incomplete = new BoundedMap(options.maxKept ?? 1_000);
    this.#log = options.logger ?? NO_LOG;
  }

  async getSkills(context: AgentSkillsSourceContext): Promise<readonly AgentSkill[]> {
    const key = keyText(this.#isolationKey(context));
    const outcomes = await Promise.all(this.#sources.map((source, i) => this.#ask(source, context, `${i}:${key}`)));
    context.signal?.throwIfAborted();
    this.#note(key, outcomes);
    const [failure] = outcomes.filter((outcome) => "error" in outcome);
    if (failure !== undefined && outcomes.every((outcome) => "error" in outcome)) {
      throw failure.error;
    }
    const lists = outcomes.map((outcome) => ("skills" in outcome ? outcome.skills : NO_SKILLS));
    const filled = lists.filter((list) => list.length > 0);
    return filled.length < 2 ? (filled[0] ?? NO_SKILLS) : this.#kept.get(filled, () => filled.flat());
  }

  /** Tells whether every source answered when this caller, or one like it, was last answered. Who keeps answers asks again soon if not. */
  isComplete(context: AgentSkillsSourceContext): boolean {
    return this.#incomplete.get(keyText(this.#isolationKey(context))) === undefined;
  }

  override async dispose(): Promise<void> {
    this.#lastGood.clear();
    await Promise.all(this.#sources.map((source) => source.dispose?.()));
  }

  #note(key: string, outcomes: readonly Outcome[]): void {
    if (outcomes.every((outcome) => "skills" in outcome && !outcome.isKnownBefore)) {
      this.#incomplete.delete(key);
    } else {
      this.#incomplete.set(key, true);
    }
  }

  async #ask(source: AgentSkillsSource, context: AgentSkillsSourceContext, key: string): Promise<Outcome> {
    try {
      const skills = await source.getSkills(context);
      this.#lastGood.set(key, skills);
      return { skills, isKnownBefore: false };
    } catch (error) {
      if (hasGone(context)) {
        return { error };
      }
      const known = this.#lastGood.get(key);
      const then = known === undefined ? "its skills are missing" : "what it last answered is used";
      this.#log.warn(`A source of skills failed; ${then}`, { source: source.constructor.name, error });
      return known === undefined ? { error } : { skills: known, isKnownBefore: true };
    }
  }
}
