/** Owns the tool `search_skills`. */
import type { ToolAnswer } from "./answers.ts";
import type { Catalogue } from "./catalogue.ts";
import { catalogueText } from "./escape.ts";
import { advertisedSkills } from "./instructions.ts";
import { searchSkills } from "./search.ts";
import { readSearchArguments } from "./tool-arguments.ts";

const MAX_MATCHES = 20;

/** Answers the advertised skills that match, best first. */
export async function advertisedMatches(catalogue: Catalogue, args: unknown): Promise<ToolAnswer> {
  const { query } = readSearchArguments(args);
  const matches = searchSkills(advertisedSkills(catalogue), query);
  const lines = matches.slice(0, MAX_MATCHES).map((skill) => `- ${skill.name}: ${catalogueText(skill.description)}`);
  const more = matches.length - MAX_MATCHES;
  const note = more > 0 ? [`[${more} more match; use more particular words to see them.]`] : [];
  const content = lines.length > 0 ? [...lines, ...note].join("\n") : "No skill matches. Try other words.";
  return { is_error: false, content };
}
