/** Owns writing a tool's answer as JSON: once for an answer that is given again and again. */
import type { ToolAnswer } from "../provider/answers.ts";

const written = new WeakMap<ToolAnswer, string>();

/** The body for an answer, with the name of the snapshot it was made from. */
export function answerBody(answer: ToolAnswer, bundle: string): string {
  const json = written.get(answer) ?? JSON.stringify(answer);
  written.set(answer, json);
  return `${json.slice(0, -1)},"bundle":${JSON.stringify(bundle)}}`;
}
