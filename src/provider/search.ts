/**
 * Owns finding skills by words, over names, aliases and descriptions: through the indexes that were made when bundles were packed, and by their
 * words for the rest. The order depends on the given skills alone, whichever indexes they are found through and whatever else these hold.
 */
import { searchWords } from "../bundle/search-words.ts";
import { latePattern } from "../model/pattern.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { SearchPlace, WordIndex } from "../model/word-index.ts";
import { scanWords } from "./word-scan.ts";

const MAX_QUERY_WORDS = 16;

/** Characters of a query that are looked at for words. */
const MAX_QUERY = 4_000;

/** Words that stand in nearly every description and tell nothing; looked for only where a query has no other. */
const emptyWord = /* @__PURE__ */ latePattern(
  "^(?:a|an|and|are|as|at|be|by|can|do|for|from|how|i|if|in|is|it|me|my|of|on|or|please|so|that|the|this|to|use|user|want|when|which|with|you)$",
  "",
);

/** Some of the given skills, by their positions in an index. */
interface Part {
  readonly index: WordIndex;
  readonly skillAt: ReadonlyMap<number, AgentSkill>;
}

type List = readonly AgentSkill[];

const kept = new WeakMap<List, readonly Part[]>();

/**
 * The skills that have any word of the query, or one that begins with it or is nearly it; best first, the order of the list decides between
 * equals. All of them for an empty query. What is made for a list is kept as long as the list is.
 */
export async function searchSkills(skills: List, query: string): Promise<List> {
  const words = wordsOf(query);
  if (words.length === 0) {
    return query.trim() === "" ? skills : [];
  }
  const parts = kept.get(skills) ?? (await partsOf(skills));
  kept.set(skills, parts);

  const scores = new Map<AgentSkill, number>();
  for (const word of words) {
    const weights = weightsOf(parts, word);
    // Counted over what the caller sees only, as everything that decides the order is.
    const rarity = Math.log(1 + (skills.length - weights.size + 0.5) / (weights.size + 0.5));
    for (const [skill, weight] of weights) {
      scores.set(skill, (scores.get(skill) ?? 0) + weight * rarity);
    }
  }
  const found = skills.filter((skill) => scores.has(skill));
  return found.sort((a, b) => (scores.get(b) ?? 0) - (scores.get(a) ?? 0));
}

function wordsOf(query: string): string[] {
  const words = [...new Set(searchWords(query.slice(0, MAX_QUERY)))];
  const telling = words.filter((word) => !emptyWord().test(word));
  return (telling.length > 0 ? telling : words).slice(0, MAX_QUERY_WORDS);
}

function weightsOf(parts: readonly Part[], word: string): ReadonlyMap<AgentSkill, number> {
  const weights = new Map<AgentSkill, number>();
  for (const { index, skillAt } of parts) {
    for (const { at, weight } of index.hits(word)) {
      const skill = skillAt.get(at);
      if (skill !== undefined) {
        weights.set(skill, weight);
      }
    }
  }
  return weights;
}

async function partsOf(skills: List): Promise<readonly Part[]> {
  const placed = new Map<SearchPlace["index"] | null, Map<number, AgentSkill>>();
  for (const skill of skills) {
    const { index, at } = skill.searchPlace ?? { index: null, at: 0 };
    const part = placed.get(index) ?? new Map<number, AgentSkill>();
    part.set(index === null ? part.size : at, skill);
    placed.set(index, part);
  }
  return Promise.all([...placed].map(([index, skillAt]) => openPart(index, skillAt)));
}

async function openPart(index: SearchPlace["index"] | null, skillAt: ReadonlyMap<number, AgentSkill>): Promise<Part> {
  // What an index says can be said without it: one that cannot be had takes no answer away.
  const opened = await index?.open().catch(() => null);
  if (opened) {
    return { index: opened, skillAt };
  }
  const skills = [...skillAt.values()];
  return { index: scanWords(skills), skillAt: new Map(skills.entries()) };
}
