/** Owns which skills of their layers a caller may see: the operator's filters and protected names. Applied before names are settled between layers. */
import { type FilterRule, fitsGlob, fitsMatcher } from "../model/filter.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import type { AgentSkill } from "../model/skill.ts";
import { type Grant, hasScope } from "../model/token.ts";
import { skeletonOf } from "./skeleton.ts";

/** What holds for one kind of caller. */
export interface View {
  /** Callers with the same key see the same of the same layers. */
  readonly key: string;
  /** True when nothing is hidden from these callers. */
  readonly selectsAll: boolean;
  /** The skills of a list that the caller may see; the same list when that is all of them. */
  select(skills: readonly AgentSkill[]): readonly AgentSkill[];
}

const EVERYTHING: View = { key: "", selectsAll: true, select: (skills) => skills };

/** The operator's rules. Made once per isolate. */
export class AccessRules {
  readonly #filters: readonly FilterRule[];
  readonly #protected: readonly string[];
  /** Grants are kept as long as their tokens are remembered, so each is looked at once. */
  readonly #views = new WeakMap<Grant, View>();

  constructor(filters: readonly FilterRule[] = [], protectedNames: readonly string[] = []) {
    this.#filters = filters;
    this.#protected = protectedNames.map(skeletonOf);
  }

  /** What a caller may see. */
  viewOf(grant: Grant): View {
    if (this.#filters.length === 0 && this.#protected.length === 0) {
      return EVERYTHING;
    }
    const known = this.#views.get(grant) ?? this.#makeView(grant);
    this.#views.set(grant, known);
    return known;
  }

  /** Tells whether only the platform may have a skill of this name, or of one that looks like it. */
  isProtected(name: string): boolean {
    return this.#protected.length > 0 && this.#protected.some((glob) => fitsGlob(glob, skeletonOf(name)));
  }

  #makeView(grant: Grant): View {
    const rules = this.#filters.filter((rule) => concerns(rule, grant));
    return {
      key: rules.map((rule) => this.#filters.indexOf(rule)).join(","),
      selectsAll: false,
      select: (skills) => {
        const seen = skills.filter((skill) => rules.every((rule) => passes(rule, skill)) && this.#mayBear(skill));
        return seen.length === skills.length ? skills : seen;
      },
    };
  }

  #mayBear({ layer, name }: AgentSkill): boolean {
    return layer === PLATFORM_LAYER || !this.isProtected(name);
  }
}

function concerns({ tenant, unless_scope }: FilterRule, grant: Grant): boolean {
  const exempt = unless_scope !== undefined && hasScope(grant, unless_scope);
  return (tenant === "*" || tenant === grant.tenant) && !exempt;
}

function passes({ layers, allow, deny }: FilterRule, skill: AgentSkill): boolean {
  if (layers !== undefined && !layers.includes(skill.layer ?? "")) {
    return true;
  }
  const isAllowed = allow === undefined || allow.some((matcher) => fitsMatcher(matcher, skill));
  return isAllowed && !deny?.some((matcher) => fitsMatcher(matcher, skill));
}
