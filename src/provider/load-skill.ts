/** Owns the tool `load_skill`, and keeping its answers: they are the same as long as the skill is. */
import type { AgentSkillsSourceContext } from "../model/skill.ts";
import type { ToolAnswer } from "./answers.ts";
import type { Catalogue } from "./catalogue.ts";
import { skillText, TEXT_LIMIT_BYTES } from "./skill-text.ts";
import { readLoadArguments } from "./tool-arguments.ts";

/** Where answers are kept; `ByteCache` is one. */
export interface AnswerCache {
  get<T>(key: string): T | undefined;
  set(key: string, value: unknown, bytes: number): void;
}

/** Bytes an answer takes for each character of its text: once here, and once as JSON for whoever sends it. */
const BYTES_PER_CHARACTER = 2;

/** Answers the instructions of a skill, and the names to call with. */
export async function loadSkill(
  catalogue: Catalogue,
  args: unknown,
  answers: AnswerCache | null,
  context: AgentSkillsSourceContext,
): Promise<ToolAnswer> {
  const { skill_name, offset, limit } = readLoadArguments(args);
  const skill = catalogue.find(skill_name);
  const range = { offset: offset ?? 0, limit: Math.min(limit ?? TEXT_LIMIT_BYTES, TEXT_LIMIT_BYTES) };
  // Only what most calls ask for: a caller who goes through all offsets must not put out everything else that is kept.
  const isUsual = range.offset === 0 && range.limit === TEXT_LIMIT_BYTES;
  const key = isUsual && skill.revision !== null ? `load:${skill.revision}` : null;
  const kept = key === null ? undefined : answers?.get<ToolAnswer>(key);
  if (kept) {
    return kept;
  }

  const { text, nextOffset } = await skillText(skill, range, context);
  const rest = nextOffset === null ? {} : { next_offset: nextOffset };
  const answer = { is_error: false, content: text, skill: { name: skill.name, digest: skill.digest }, ...rest };
  if (key !== null) {
    answers?.set(key, answer, text.length * BYTES_PER_CHARACTER);
  }
  return answer;
}
