/** Owns finding skills by words, over names, aliases and descriptions. */
import { latePattern } from "../model/pattern.ts";
import type { AgentSkill } from "../model/skill.ts";
import { foldName } from "./look-up.ts";

const betweenWords = /* @__PURE__ */ latePattern("[^\\p{L}\\p{M}\\p{N}]+", "u");

const MAX_QUERY_WORDS = 16;
const NAME_WEIGHT = 3;

/** The skills that hold any word of the query, best first; the order of the list decides between equals. All of them for an empty query. */
export function searchSkills(skills: readonly AgentSkill[], query: string): readonly AgentSkill[] {
  const words = foldName(query)
    .split(betweenWords())
    .filter((word) => word !== "")
    .slice(0, MAX_QUERY_WORDS);
  if (words.length === 0) {
    return query.trim() === "" ? skills : [];
  }
  return skills
    .map((skill) => ({ skill, score: score(skill, words) }))
    .filter((item) => item.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((item) => item.skill);
}

function score(skill: AgentSkill, words: readonly string[]): number {
  const name = foldName([skill.name, ...skill.aliases].join(" "));
  const description = foldName(skill.description);
  const weigh = (word: string) => (name.includes(word) ? NAME_WEIGHT : 0) + (description.includes(word) ? 1 : 0);
  return words.reduce((sum, word) => sum + weigh(word), 0);
}
