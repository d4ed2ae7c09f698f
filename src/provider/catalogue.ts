/** Owns the list of skills a caller may use, as it is shown and searched. Made once for a list and kept as long as the list is. */
import { blockedError } from "../model/blocks.ts";
import { SkillsError } from "../model/errors.ts";
import { comparePaths } from "../model/record.ts";
import type { AgentSkill } from "../model/skill.ts";
import { nearestNames } from "./candidates.ts";
import { foldName, lookUp, type Named } from "./look-up.ts";

/** What a list of skills offers as a whole; decides which tools there are. */
export interface CatalogueFacts {
  readonly skills: number;
  readonly hasResources: boolean;
  readonly hasRunnable: boolean;
}

/** Skills by name, sorted, each name once: the first one given wins. One that was recalled keeps its name, and is not listed. */
export class Catalogue {
  /** In path order of their names, without those that were recalled. */
  readonly skills: readonly AgentSkill[];
  readonly facts: CatalogueFacts;
  /** Those that a model is told of. */
  readonly advertised: readonly AgentSkill[];
  readonly #named: readonly AgentSkill[];
  readonly #byName = new Map<string, AgentSkill>();
  readonly #byFoldedName = new Map<string, AgentSkill[]>();
  #aliases: readonly Named<AgentSkill>[] | null = null;

  constructor(skills: readonly AgentSkill[]) {
    for (const skill of skills) {
      const folded = foldName(skill.name);
      if (!this.#byFoldedName.has(folded)) {
        this.#byFoldedName.set(folded, [skill]);
        this.#byName.set(skill.name, skill);
      }
    }
    this.#named = [...this.#byName.values()].sort((a, b) => comparePaths(a.name, b.name));
    this.skills = this.#named.some(isBlocked) ? this.#named.filter((skill) => !isBlocked(skill)) : this.#named;
    const advertised = this.skills.filter((skill) => !skill.hidden);
    this.advertised = advertised.length === this.skills.length ? this.skills : advertised;
    this.facts = {
      skills: this.skills.length,
      // A source that cannot tell may have some.
      hasResources: this.skills.some((skill) => skill.counts.resources !== 0),
      hasRunnable: this.skills.some((skill) => skill.counts.runnable !== 0),
    };
  }

  /** The skill a written name means. Throws `skill-not-found` with candidates, `skill-blocked` for one that was recalled. */
  find(wanted: string): AgentSkill {
    const skill = this.#find(wanted);
    const { name, blocked: reason = null } = skill;
    if (reason !== null) {
      throw blockedError("skill-blocked", `skill "${name}"`, { reason });
    }
    return skill;
  }

  #find(wanted: string): AgentSkill {
    const exact = this.#byName.get(wanted);
    if (exact) {
      return exact;
    }
    const hits = this.#hits(wanted);
    const [only] = hits;
    if (only && hits.length === 1) {
      return only;
    }
    const several = hits.filter((skill) => !isBlocked(skill)).map((skill) => skill.name);
    const names =
      several.length > 0
        ? several
        : nearestNames(
            wanted,
            this.advertised.map((skill) => skill.name),
          );
    throw new SkillsError("skill-not-found", `Cannot find skill ${quoted(wanted)}: no such skill`, {
      candidates: names,
    });
  }

  #hits(wanted: string): readonly AgentSkill[] {
    const folded = this.#byFoldedName.get(foldName(wanted));
    if (folded) {
      return folded;
    }
    const listed = this.#named.map((skill) => ({ name: skill.name, value: skill }));
    const byName = lookUp(wanted, listed);
    const hits = byName.length > 0 ? byName : lookUp(wanted, this.#aliasList());
    return [...new Set(hits.map((hit) => hit.value))];
  }

  #aliasList(): readonly Named<AgentSkill>[] {
    this.#aliases ??= this.#named.flatMap((skill) => skill.aliases.map((name) => ({ name, value: skill })));
    return this.#aliases;
  }
}

function isBlocked({ blocked = null }: AgentSkill): boolean {
  return blocked !== null;
}

const kept = new WeakMap<readonly AgentSkill[], Catalogue>();

/** The catalogue of a list; the same one for the same array. */
export function catalogueOf(skills: readonly AgentSkill[]): Catalogue {
  const known = kept.get(skills) ?? new Catalogue(skills);
  kept.set(skills, known);
  return known;
}

/** A name as it is quoted back: JSON, cut where it is long. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 200 ? `${name.slice(0, 200)}…` : name);
}
