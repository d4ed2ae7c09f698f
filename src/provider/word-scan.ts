/** Owns finding skills by a word where no index was made ahead: the words of each are written down once and gone through for each question. */
import { searchWords } from "../bundle/search-words.ts";
import { fitOf, slipsOf, weightOf } from "../bundle/word-fit.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { WordHit, WordIndex } from "../model/word-index.ts";

/** Which skills have a word, by their positions. */
interface Places {
  readonly name: Set<number>;
  readonly description: Set<number>;
}

type Field = keyof Places;

const FIELDS: readonly Field[] = ["name", "description"];

/** Skills by their positions in a list. Answers what bundle/search-index.ts answers, with no library behind it. */
export function scanWords(skills: readonly AgentSkill[]): WordIndex {
  const places = new Map<string, Places>();
  const add = (field: Field, text: string, at: number): void => {
    for (const word of searchWords(text)) {
      const known = places.get(word) ?? { name: new Set(), description: new Set() };
      known[field].add(at);
      places.set(word, known);
    }
  };
  for (const [at, { name, aliases, description }] of skills.entries()) {
    add("name", [name, ...aliases].join(" "), at);
    add("description", description, at);
  }
  return { hits: (word) => hitsIn(places, word) };
}

function hitsIn(places: ReadonlyMap<string, Places>, word: string): readonly WordHit[] {
  const slips = slipsOf(word);
  const fits = new Map<number, Record<Field, number>>();
  for (const [found, having] of places) {
    if (found.startsWith(word) || isNear(word, found, slips)) {
      const fit = fitOf(word, found);
      for (const field of FIELDS) {
        for (const at of having[field]) {
          const known = fits.get(at) ?? { name: 0, description: 0 };
          known[field] = Math.max(known[field], fit);
          fits.set(at, known);
        }
      }
    }
  }
  return [...fits].map(([at, fit]) => ({ at, weight: weightOf(fit) }));
}

/** Tells whether two words are at most so many characters (put in, left out, or others) apart. */
function isNear(a: string, b: string, most: number): boolean {
  if (most === 0 || Math.abs(a.length - b.length) > most) {
    return false;
  }
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const other = (before[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      row.push(Math.min(other, (before[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1));
    }
    if (Math.min(...row) > most) {
      return false;
    }
    before = row;
  }
  return (before[b.length] ?? 0) <= most;
}
