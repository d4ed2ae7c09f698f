/** Owns the text that goes into an agent's system prompt: what skills there are and how to use them. Byte-stable for one list, for prompt caches. */
import { SkillsError } from "../model/errors.ts";
import type { AgentSkill } from "../model/skill.ts";
import type { Catalogue } from "./catalogue.ts";
import { catalogueText } from "./escape.ts";
import type { OfferedTools } from "./tools.ts";

/** Characters the list of skills may take; beyond it skills are found by searching. About 10,000 tokens. */
export const CATALOGUE_BUDGET_CHARACTERS = 40_000;

/** Where the list of skills goes in a template. */
export const SKILLS_PLACEHOLDER = "{skills}";

/** How the instructions of one agent are worded. */
export interface InstructionWording {
  /** Stands before every tool's name. */
  readonly prefix: string;
  /** A text with `{skills}`, in place of the usual one; null for the usual one. */
  readonly template: string | null;
}

export const PLAIN_INSTRUCTIONS: InstructionWording = { prefix: "", template: null };

/** A template, as it is. Throws `usage` for one without `{skills}`: the model would be told of no skill. */
export function checkedTemplate(template: string): string {
  if (!template.includes(SKILLS_PLACEHOLDER)) {
    throw new SkillsError("usage", `Cannot use this prompt template: it lacks the placeholder ${SKILLS_PLACEHOLDER}`);
  }
  return template;
}

/** Tells whether the list of skills fits its budget. */
export function fitsBudget(catalogue: Catalogue, budget: number = CATALOGUE_BUDGET_CHARACTERS): boolean {
  let characters = 0;
  for (const skill of catalogue.advertised) {
    characters += skill.name.length + skill.description.length + ENTRY_FRAME;
    if (characters > budget) {
      return false;
    }
  }
  return true;
}

const ENTRY_FRAME = 80;

/** The instructions for a catalogue; empty when there is nothing to tell of. */
export function instructionsFor(
  catalogue: Catalogue,
  tools: OfferedTools,
  { prefix, template }: InstructionWording = PLAIN_INSTRUCTIONS,
): string {
  const skills = catalogue.advertised;
  if (skills.length === 0) {
    return "";
  }
  const list = tools.search ? searchNote(skills.length, prefix) : skillList(skills);
  if (template !== null) {
    // Split and joined: a description may hold the signs that `replace` gives a meaning.
    return template.split(SKILLS_PLACEHOLDER).join(list);
  }
  return `${guide(tools, prefix)}\n\n${list}\n`;
}

function guide(tools: OfferedTools, prefix: string): string {
  const lines = [
    `You have skills: ${wordsFor(tools)} for particular jobs.`,
    `When a task matches the description of a skill, call \`${prefix}load_skill\` with its name before you begin, and follow what it says.`,
  ];
  if (tools.read) {
    lines.push(
      `Read a file that a loaded skill lists with \`${prefix}read_skill_resource\`, by the exact name in its list.`,
    );
  }
  if (tools.run) {
    lines.push(
      `Run a script that a loaded skill lists with \`${prefix}run_skill_script\`, by the exact name in its list; do not rewrite what a script already does.`,
    );
  }
  lines.push("Load only what the task at hand needs.");
  return lines.join("\n");
}

function wordsFor({ read, run }: OfferedTools): string {
  const more = [...(read ? ["reference files"] : []), ...(run ? ["scripts"] : [])];
  return more.length === 2
    ? `tested instructions, ${more.join(" and ")}`
    : ["tested instructions", ...more].join(" and ");
}

function searchNote(count: number, prefix: string): string {
  const size =
    count === 1
      ? "There is 1 skill, too long to list. Look whether it fits"
      : `There are ${count} skills, too many to list. Find the ones for`;
  return `${size} your task with \`${prefix}search_skills\`.`;
}

function skillList(skills: readonly AgentSkill[]): string {
  const entries = skills.map(
    (skill) =>
      `  <skill>\n    <name>${catalogueText(skill.name)}</name>\n    <description>${catalogueText(skill.description)}</description>\n  </skill>\n`,
  );
  return `<available_skills>\n${entries.join("")}</available_skills>`;
}
