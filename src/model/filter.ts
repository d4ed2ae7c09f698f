/** Owns filter rules: who may not see which skills, as settings say it. What they do to a caller's layers is tenancy/access-rules.ts's. */
import type { AgentSkill } from "./skill.ts";
import type { Scope } from "./token.ts";

/** Names a kind of skills: a glob over served names, or globs over name and metadata, all of which must fit. `*` is any characters. */
export type SkillMatcher =
  | string
  | {
      readonly name?: string | undefined;
      /** A key that the skill lacks fits no glob. */
      readonly metadata?: Readonly<Record<string, string>> | undefined;
    };

/** A rule. All rules that apply must let a skill pass. */
export interface FilterRule {
  /** Whose callers: a tenant's name, or `*`. */
  readonly tenant: string;
  /** Whose skills: `platform`, a tenant's name, `runtime`; default all. */
  readonly layers?: readonly string[] | undefined;
  /** Hides all other skills. */
  readonly allow?: readonly SkillMatcher[] | undefined;
  readonly deny?: readonly SkillMatcher[] | undefined;
  /** Callers with this scope are not concerned. */
  readonly unless_scope?: Scope | undefined;
}

/** Tells whether a text fits a glob. Linear in text and glob: no regular expression is made of what somebody wrote. */
export function fitsGlob(glob: string, text: string): boolean {
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop();
  if (last === undefined) {
    return text === glob;
  }
  if (!text.startsWith(first)) {
    return false;
  }
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) {
      return false;
    }
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Tells whether a skill is of a kind. */
export function fitsMatcher(matcher: SkillMatcher, skill: Pick<AgentSkill, "name" | "metadata">): boolean {
  const { name = "*", metadata = {} } = typeof matcher === "string" ? { name: matcher } : matcher;
  return (
    fitsGlob(name, skill.name) &&
    Object.entries(metadata).every(([key, glob]) => {
      const value = Object.hasOwn(skill.metadata, key) ? skill.metadata[key] : undefined;
      return value !== undefined && fitsGlob(glob, value);
    })
  );
}
