/** Owns whose answer a kept list is: lists of one key are given to every caller of that key, and to no other. */
import type { AgentSkillsSourceContext } from "../model/skill.ts";

/** Tells whom a list may be given to again. Null: to everybody; an empty text is a key of its own. */
export type IsolationKey = (context: AgentSkillsSourceContext) => string | null;

/** The default: callers of one tenant share, tenants do not. */
export const byTenant: IsolationKey = ({ tenant }) => tenant;

/** The key as one text; the shared one cannot be taken for a caller's. */
export function keyText(key: string | null): string {
  return key === null ? "shared" : `key:${key}`;
}

/** Tells that the caller has gone, which is no failure of a source. */
export function hasGone({ signal }: AgentSkillsSourceContext): boolean {
  return signal?.aborted === true;
}
