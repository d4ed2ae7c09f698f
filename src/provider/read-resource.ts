/** Owns the tool `read_skill_resource`. */
import { toBase64 } from "../model/base64.ts";
import type { AgentSkillsSourceContext } from "../model/skill.ts";
import type { ToolAnswer } from "./answers.ts";
import type { Catalogue } from "./catalogue.ts";
import { findResource } from "./find-in-skill.ts";
import { cutNote, TEXT_LIMIT_BYTES } from "./skill-text.ts";
import { sliceBytes, sliceText } from "./slice-text.ts";
import { readReadArguments } from "./tool-arguments.ts";

/** Answers a part of a resource: text as it is, anything else as base64. */
export async function readResource(
  catalogue: Catalogue,
  args: unknown,
  context: AgentSkillsSourceContext,
): Promise<ToolAnswer> {
  const { skill_name, resource_name, offset, limit } = readReadArguments(args);
  const skill = catalogue.find(skill_name);
  const resource = await findResource(skill, resource_name);
  const bytes = await resource.read(context);
  const slice = resource.text ? sliceText : sliceBytes;
  const part = slice(bytes, offset ?? 0, Math.min(limit ?? TEXT_LIMIT_BYTES, TEXT_LIMIT_BYTES));

  const content = resource.text
    ? new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(part.bytes)
    : toBase64(part.bytes);
  const rest =
    part.nextOffset === null || !resource.text
      ? ""
      : `\n${cutNote("This file's bytes", part.nextOffset, bytes.length)}`;
  return {
    is_error: false,
    content: content + rest,
    skill: { name: skill.name, digest: skill.digest },
    resource: {
      name: resource.name,
      media_type: resource.mediaType,
      encoding: resource.text ? "utf-8" : "base64",
      size: bytes.length,
      offset: part.offset,
      next_offset: part.nextOffset,
    },
  };
}
