/** Owns what `load_skill` shows the model: the instructions, then the names to call with. Everything of the skill stays inside its place. */
import type { AgentSkill, AgentSkillResource, AgentSkillScript, AgentSkillsSourceContext } from "../model/skill.ts";
import { attributeText, bodyText, shortText } from "./escape.ts";
import { sliceText } from "./slice-text.ts";

/** Bytes of a body or resource that one answer gives. */
export const TEXT_LIMIT_BYTES = 64 * 1024;

/** How long a list may get before it is cut. */
const MAX_LIST_CHARACTERS = 32 * 1024;

/** How many names a list gives before it is cut. */
const MAX_LISTED = 200;

/** Characters of a description that are shown. */
const MAX_DESCRIPTION_CHARACTERS = 1_024;

/** Characters of a script's schema that are shown. */
const MAX_SCHEMA_CHARACTERS = 4_096;

/** What part of the body is asked for. */
export interface TextRange {
  readonly offset: number;
  readonly limit: number;
}

/** The text for the model, and where to go on when the body was cut. */
export interface SkillText {
  readonly text: string;
  readonly nextOffset: number | null;
}

/** Makes the text of a skill. */
export async function skillText(
  skill: AgentSkill,
  range: TextRange,
  context: AgentSkillsSourceContext,
): Promise<SkillText> {
  // The content alone first: all three come from one record, which the others then find in the isolate's cache.
  const content = await skill.getContent(context);
  const [resources, scripts] = await Promise.all([skill.listResources(), skill.listScripts()]);
  const whole = new TextEncoder().encode(content.body.replace(/^\n+/, "").trimEnd());
  const part = sliceText(whole, range.offset, range.limit);
  const lines = [
    `<skill_content name="${attributeText(skill.name)}">`,
    bodyText(new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(part.bytes)),
    ...(part.nextOffset === null ? [] : [cutNote("The instructions", part.nextOffset, whole.length)]),
    "</skill_content>",
    list("skill_resources", (resources ?? []).map(resourceLine)),
    list("skill_scripts", (scripts ?? []).map(scriptLine)),
  ];
  return { text: `${lines.join("\n")}\n`, nextOffset: part.nextOffset };
}

/** The words for something that was cut, and how to go on. */
export function cutNote(what: string, nextOffset: number, size: number): string {
  return `[${what} go on: ${nextOffset} of ${size} bytes were given. Call again with offset ${nextOffset}.]`;
}

function list(tag: string, lines: readonly string[]): string {
  if (lines.length === 0) {
    return `<${tag}></${tag}>`;
  }
  const shown = fitting(lines);
  const more = lines.length - shown.length;
  const note =
    more > 0 ? [`  [${more} more are not listed; those named in the instructions can be called all the same.]`] : [];
  return [`<${tag}>`, ...shown, ...note, `</${tag}>`].join("\n");
}

function fitting(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const end = lines.findIndex((line, i) => {
    characters += line.length;
    return i === MAX_LISTED || characters > MAX_LIST_CHARACTERS;
  });
  return end === -1 ? lines : lines.slice(0, end);
}

function resourceLine({ name, description, mediaType, size }: AgentSkillResource): string {
  const attributes = [
    `name="${attributeText(name)}"`,
    ...descriptionAttribute(description),
    `media_type="${attributeText(mediaType)}"`,
    ...(size === null ? [] : [`size="${size}"`]),
  ];
  return `  <skill_resource ${attributes.join(" ")}/>`;
}

/** Nothing for a description that is missing or blank. */
function descriptionAttribute(description: string | null): string[] {
  const text = shortText(description?.trim() ?? "", MAX_DESCRIPTION_CHARACTERS);
  return text === "" ? [] : [`description="${attributeText(text)}"`];
}

function scriptLine(script: AgentSkillScript): string {
  const { name, description, runtime, runnable, reason } = script;
  const attributes = [
    `name="${attributeText(name)}"`,
    ...(runtime === null ? [] : [`runtime="${runtime}"`]),
    ...descriptionAttribute(description),
    ...(runnable ? [] : [`not_runnable="${attributeText(reason ?? "it cannot run here")}"`]),
  ];
  const schema = bodyText(JSON.stringify(script.parameters));
  const shown = runnable && schema.length <= MAX_SCHEMA_CHARACTERS ? schema : "";
  return `  <skill_script ${attributes.join(" ")}>${shown}</skill_script>`;
}
