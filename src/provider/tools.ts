/** Owns the tools as data: names, descriptions, arguments. Every format a tool is offered in is made from this; the handlers are beside it. */
import type { JsonObject } from "../model/record.ts";

/** Names of the tools, as they are without a prefix. */
export type ToolName = "load_skill" | "search_skills" | "read_skill_resource" | "run_skill_script";

/** All of them, in the order they are offered in. */
export const TOOL_NAMES: readonly ToolName[] = [
  "load_skill",
  "search_skills",
  "read_skill_resource",
  "run_skill_script",
];

/** A tool as it is offered. */
export interface ToolDefinition {
  /** As the model calls it: a {@link ToolName}, behind the prefix if there is one. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** Which tools a caller is offered beside `load_skill`. */
export interface OfferedTools {
  readonly search: boolean;
  readonly read: boolean;
  readonly run: boolean;
}

/** How tools are worded for one agent. */
export interface ToolWording {
  /** Stands before every tool's name. */
  readonly prefix: string;
  /** What `load_skill` says behind its own description; empty for nothing. */
  readonly loadNote: string;
}

export const PLAIN_WORDING: ToolWording = { prefix: "", loadNote: "" };

const skillName = { type: "string", description: "Name of the skill, as listed" };

const range = (of: string): JsonObject => ({
  offset: { type: ["integer", "null"], minimum: 0, description: `Byte of the ${of} to begin at; default 0` },
  limit: { type: ["integer", "null"], minimum: 1, description: `How many bytes to give; default and most 65536` },
});

type Describe = (name: (tool: ToolName) => string) => string;

interface Tool {
  readonly name: ToolName;
  readonly describe: Describe;
  readonly parameters: JsonObject;
}

function tool(name: ToolName, describe: Describe, properties: JsonObject, required: readonly string[]): Tool {
  return { name, describe, parameters: { type: "object", properties, required, additionalProperties: false } };
}

const loadSkill = () =>
  tool(
    "load_skill",
    () =>
      "Loads a skill: its instructions, and the names of its files and scripts. Call it before you begin a task that matches the skill's description.",
    { skill_name: skillName, ...range("instructions") },
    ["skill_name"],
  );

const searchSkills = () =>
  tool(
    "search_skills",
    () => "Finds skills by words of the task at hand. Answers names and descriptions.",
    { query: { type: "string", description: "Words that describe the task" } },
    ["query"],
  );

const readSkillResource = () =>
  tool(
    "read_skill_resource",
    (name) => `Reads a file of a skill. Call it with a name from the list that \`${name("load_skill")}\` gave.`,
    {
      skill_name: skillName,
      resource_name: { type: "string", description: "Name of the file, as listed by load_skill" },
      ...range("file"),
    },
    ["skill_name", "resource_name"],
  );

const runSkillScript = () =>
  tool(
    "run_skill_script",
    (name) =>
      `Runs a script of a skill in a sandbox and answers its exit code, its output and the files it wrote. Call it with a name from the list that \`${name("load_skill")}\` gave.`,
    {
      skill_name: skillName,
      script_name: { type: "string", description: "Name of the script, as listed by load_skill" },
      arguments: {
        description:
          'Named arguments as an object ({"value": 3, "verbose": true} becomes --value 3 --verbose), positional ones as an array of strings, or null',
        anyOf: [
          { type: "object", additionalProperties: true },
          { type: "array", items: { type: "string" } },
          { type: "string", description: "The object or array as JSON text" },
          { type: "null" },
        ],
      },
    },
    ["skill_name", "script_name"],
  );

/** The definitions of the offered tools, always in the same order. */
export function toolDefinitions(
  offered: OfferedTools,
  { prefix, loadNote }: ToolWording = PLAIN_WORDING,
): ToolDefinition[] {
  const tools = [
    loadSkill(),
    ...(offered.search ? [searchSkills()] : []),
    ...(offered.read ? [readSkillResource()] : []),
    ...(offered.run ? [runSkillScript()] : []),
  ];
  const named = (name: ToolName) => prefix + name;
  return tools.map(({ name, describe, parameters }) => {
    const note = name === "load_skill" && loadNote !== "" ? `\n\n${loadNote}` : "";
    return { name: named(name), description: describe(named) + note, parameters };
  });
}

/** The tool that a called name means; null for a name that is none of ours. */
export function toolOf(called: string, prefix = ""): ToolName | null {
  const name = called.startsWith(prefix) ? called.slice(prefix.length) : called;
  return TOOL_NAMES.find((known) => known === name) ?? null;
}
