/** Owns a file of a record as a resource. Never reads it itself. */
import type { SkillFile } from "../model/record.ts";
import type { AgentSkillResource } from "../model/skill.ts";

/** The resource that a file is; `read` gives its bytes. */
export function fileResource(file: SkillFile, read: () => Promise<Uint8Array>): AgentSkillResource {
  const { path, media_type, size, digest, text } = file;
  return { name: path, description: null, mediaType: media_type, size, digest, text, read };
}
