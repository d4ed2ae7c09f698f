/** Owns the addresses of skills and their files over MCP: `skill://<skill>/<path>`, each part percent-encoded. Never reads anything. */

/** What every address begins with. */
export const SKILL_SCHEME = "skill://";

/** The name under which every skill's SKILL.md is addressed, whatever its case on disk. */
export const MANIFEST = "SKILL.md";

/** A place within a skill; the path is empty for the skill's own directory. */
export interface SkillPlace {
  readonly skill: string;
  readonly path: string;
}

/** The address of a file of a skill. */
export function skillUri(skill: string, path: string): string {
  return `${SKILL_SCHEME}${[skill, ...path.split("/")].map(encodeURIComponent).join("/")}`;
}

/** What an address means; null for what is no such address. */
export function parseSkillUri(uri: string): SkillPlace | null {
  if (!uri.startsWith(SKILL_SCHEME)) {
    return null;
  }
  try {
    const [skill = "", ...parts] = uri.slice(SKILL_SCHEME.length).split("/").map(decodeURIComponent);
    const isPlain = parts.every((part) => part !== "" && !part.includes("/"));
    return skill !== "" && isPlain ? { skill, path: parts.join("/") } : null;
  } catch {
    return null;
  }
}
