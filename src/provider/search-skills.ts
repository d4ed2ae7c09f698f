/** Owns the tool `search_skills`. */
import type { AgentSkill } from "../model/skill.ts";
import type { ToolAnswer } from "./answers.ts";
import type { Catalogue } from "./catalogue.ts";
import { catalogueText, shortText } from "./escape.ts";
import { searchSkills } from "./search.ts";
import { readSearchArguments } from "./tool-arguments.ts";

const MAX_MATCHES = 20;

/** Characters of a description that are shown: as many as the specification allows it. */
const MAX_DESCRIPTION = 1_024;

/** Answers the advertised skills that match, best first. */
export async function advertisedMatches(catalogue: Catalogue, args: unknown): Promise<ToolAnswer> {
  const { query } = readSearchArguments(args);
  const matches = await searchSkills(catalogue.advertised, query);
  const lines = matches.slice(0, MAX_MATCHES).map(matchLine);
  const more = matches.length - MAX_MATCHES;
  const note = more > 0 ? [`[${more} more match; use more particular words to see them.]`] : [];
  const content = lines.length > 0 ? [...lines, ...note].join("\n") : "No skill matches. Try other words.";
  return { is_error: false, content };
}

function matchLine({ name, description }: AgentSkill): string {
  return `- ${name}: ${catalogueText(shortText(description, MAX_DESCRIPTION))}`;
}
