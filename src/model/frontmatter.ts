/** Owns the frontmatter of a skill that is made in code, and why a field of it is not valid. Never parses YAML; check/ does. */
import { SkillsError } from "./errors.ts";
import { characterCount, isPortableName, isUnsafeName, MAX_NAME_LENGTH } from "./name.ts";
import type { JsonObject } from "./record.ts";

/** The longest description the specification allows, in characters. */
export const MAX_DESCRIPTION_LENGTH = 1_024;

/** The longest text on compatibility the specification allows, in characters. */
export const MAX_COMPATIBILITY_LENGTH = 500;

/** Fields beside name and description. */
export interface FrontmatterFields {
  readonly license?: string;
  readonly compatibility?: string;
  /** Names of tools, separated by blanks; they can only narrow what an operator allows. */
  readonly allowedTools?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** True: the model is not told of the skill, an explicit call still finds it. */
  readonly disableModelInvocation?: boolean;
}

/**
 * Frontmatter that is valid from the start: the constructor refuses everything else, and nothing changes later.
 *
 * @example
 * new AgentSkillFrontmatter("unit-converter", "Converts units of measurement.", { license: "MIT" });
 */
export class AgentSkillFrontmatter {
  readonly name: string;
  readonly description: string;
  readonly license: string | null;
  readonly compatibility: string | null;
  readonly allowedTools: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** True when the model is not told of the skill. */
  readonly hidden: boolean;

  /** Throws `skills-invalid` with the reason. */
  constructor(name: string, description: string, fields: FrontmatterFields = {}) {
    const problem =
      AgentSkillFrontmatter.nameProblem(name) ??
      AgentSkillFrontmatter.descriptionProblem(description) ??
      AgentSkillFrontmatter.compatibilityProblem(fields.compatibility ?? null);
    if (problem !== null) {
      throw new SkillsError("skills-invalid", `Cannot make the skill ${JSON.stringify(name)}: ${problem}`);
    }
    this.name = name;
    this.description = description;
    this.license = fields.license ?? null;
    this.compatibility = fields.compatibility ?? null;
    this.allowedTools = fields.allowedTools ?? null;
    this.metadata = { ...fields.metadata };
    this.hidden = fields.disableModelInvocation === true || this.metadata.internal === "true";
  }

  /** Why a text cannot be a skill's name; null when it can. */
  static nameProblem(name: string): string | null {
    if (name === "") {
      return "it has no name";
    }
    if (isUnsafeName(name)) {
      return "its name holds a control or invisible character";
    }
    if (characterCount(name) > MAX_NAME_LENGTH) {
      return `its name has more than ${MAX_NAME_LENGTH} characters`;
    }
    return isPortableName(name)
      ? null
      : "its name is not lower-case letters a–z and digits with single hyphens between";
  }

  /** Why a text cannot be a description; null when it can. */
  static descriptionProblem(description: string): string | null {
    if (description.trim() === "") {
      return "it has no description";
    }
    return characterCount(description) > MAX_DESCRIPTION_LENGTH
      ? `its description has more than ${MAX_DESCRIPTION_LENGTH} characters`
      : null;
  }

  /** Why a text cannot tell what a skill is compatible with; null when it can, or when there is none. */
  static compatibilityProblem(compatibility: string | null): string | null {
    return compatibility !== null && characterCount(compatibility) > MAX_COMPATIBILITY_LENGTH
      ? `its compatibility has more than ${MAX_COMPATIBILITY_LENGTH} characters`
      : null;
  }

  /** The fields as SKILL.md would have them. */
  toJSON(): JsonObject {
    const { name, description, license, compatibility, allowedTools, metadata, hidden } = this;
    return {
      name,
      description,
      ...(license === null ? {} : { license }),
      ...(compatibility === null ? {} : { compatibility }),
      ...(allowedTools === null ? {} : { "allowed-tools": allowedTools }),
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(hidden && metadata.internal !== "true" ? { "disable-model-invocation": "true" } : {}),
    };
  }
}
