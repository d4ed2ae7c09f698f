/**
 * Owns pointing a person to where a waiting call is decided (URL elicitation), where the client can. What the client answers decides nothing:
 * it only makes the call again.
 */
import { inputRequired } from "@modelcontextprotocol/server";
import type { ToolAnswer } from "../provider/answers.ts";

/** How a call was asked. */
export interface Asking {
  /** What the client can do; undefined before 2026-07-28, whose requests do not say. */
  readonly capabilities: { readonly elicitation?: { readonly url?: object | undefined } | undefined } | undefined;
  /** Whether this is the call made again after the person was pointed there. */
  readonly isRepeat: boolean;
}

/** The request to point a person to the approval's address; null when the answer is given as it is. */
export function toPerson({ approval, skill }: ToolAnswer, { capabilities, isRepeat }: Asking) {
  if (!approval?.url || isRepeat || capabilities?.elicitation?.url === undefined) {
    return null;
  }
  const message = `A script of the skill "${skill?.name}" needs your approval before it runs.`;
  return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ message, url: approval.url }) } });
}
