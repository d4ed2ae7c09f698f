/** Owns the older index of skills over MCP, the resource `skill://index.json` in the shape of discovery 0.2.0. */
import type { Catalogue } from "../provider/catalogue.ts";
import { skillEntry } from "./skill-entry.ts";
import { listed } from "./skill-source.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/** How many skills are named: each may cost two reads. */
const MAX_SKILLS = 200;

/** The index as JSON text; each digest is that of the SKILL.md. */
export async function indexDocument(catalogue: Catalogue): Promise<string> {
  const entries = await Promise.all(listed(catalogue).slice(0, MAX_SKILLS).map(skillEntry));
  const skills = entries.flatMap((entry) => {
    const [manifest] = Array.isArray(entry?.resources) ? entry.resources : [];
    return entry && manifest
      ? [
          {
            name: entry.frontmatter.name,
            type: "skill-md",
            description: entry.frontmatter.description,
            url: entry.uri,
            digest: manifest.digest,
          },
        ]
      : [];
  });
  return JSON.stringify({ $schema: SCHEMA, skills });
}
