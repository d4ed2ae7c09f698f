/**
 * Owns the public entry "edge-skills/skills": skills in code. Their functions run in the host's own process, with all the host may do. The
 * decorators need tools that know ECMAScript decorators; properties say the same.
 */
export { formatSkillMd, type SkillMd } from "./check/format-skill-md.ts";
export { AgentClassSkill } from "./skills/class-skill.ts";
export { resource, script } from "./skills/decorators.ts";
export {
  AgentInlineSkillResource,
  type InlineResourceOptions,
  type ResourceFunction,
} from "./skills/inline-resource.ts";
export { AgentInlineSkillScript, type InlineScriptOptions, type ScriptFunction } from "./skills/inline-script.ts";
export { AgentInlineSkill, type InlineSkillOptions } from "./skills/inline-skill.ts";
export { type ArgumentMarshaler, namedArguments } from "./skills/marshal.ts";
export type { StandardSchema } from "./skills/standard-schema.ts";
