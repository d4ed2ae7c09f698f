/** Owns the document of `GET /v1/skills/{name}`. */
import type { AgentSkill, AgentSkillResource, AgentSkillScript } from "../model/skill.ts";

/** Everything a caller may know of a skill but the bytes of its files. */
export async function skillDocument(skill: AgentSkill): Promise<Record<string, unknown>> {
  // The content alone first: all three come from one record, which the others then find in the isolate's cache.
  const content = await skill.getContent();
  const [resources, scripts] = await Promise.all([skill.listResources(), skill.listScripts()]);
  return {
    name: skill.name,
    description: skill.description,
    layer: skill.layer,
    digest: skill.digest,
    frontmatter: content.frontmatter,
    metadata: skill.metadata,
    allowed_tools: content.allowedTools,
    body: content.body,
    resources: resources?.map(resourceFacts) ?? null,
    scripts: scripts?.map(scriptFacts) ?? null,
  };
}

function resourceFacts({ name, size, mediaType, digest }: AgentSkillResource): Record<string, unknown> {
  return { name, size, media_type: mediaType, digest };
}

function scriptFacts({
  name,
  description,
  runtime,
  parameters,
  runnable,
  reason,
}: AgentSkillScript): Record<string, unknown> {
  return { name, description, runtime, parameters, runnable, reason };
}
