/** Owns keeping what was derived from lists of skills for as long as the lists are the same arrays. */
import type { AgentSkill } from "../model/skill.ts";

type Skills = readonly AgentSkill[];

/** How many results one derivation keeps. */
const KEPT = 64;

/** Wraps a pure function of some lists; the same arrays give the same result, so that later steps can keep theirs as well. */
export function keepDerived<T>(derive: (lists: readonly Skills[]) => T): (lists: readonly Skills[]) => T {
  const kept: { readonly lists: readonly Skills[]; readonly result: T }[] = [];
  return (lists) => {
    const known = kept.find((item) => item.lists.length === lists.length && item.lists.every((l, i) => l === lists[i]));
    if (known) {
      return known.result;
    }
    const result = derive(lists);
    kept.unshift({ lists, result });
    kept.length = Math.min(kept.length, KEPT);
    return result;
  };
}
