/** Owns where the library says what its host should know. Never writes anywhere itself; `console` fits. */
import { latePattern } from "./pattern.ts";

/** Takes messages with their facts. */
export interface SkillsLogger {
  /** Something is not as it should be, and was dealt with: a source that failed, a name that came twice. */
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Makes the logger of a part, by the part's name. */
export type SkillsLoggerFactory = (part: string) => SkillsLogger;

/** Says nothing. */
export const NO_LOG: SkillsLogger = { warn: () => undefined };

const unseen = /* @__PURE__ */ latePattern("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]", "gu");

/** A name of somebody else's making, so that it stays on its line of a log. */
export function logged(name: string): string {
  return JSON.stringify(name.slice(0, 200)).replace(unseen(), "\ufffd");
}
