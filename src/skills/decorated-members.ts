/** Owns what decorators have gathered for each object. Knows no decorator: classes without any pay for this file only. */
import { SkillsError } from "../model/errors.ts";
import type { AgentSkillResource, AgentSkillScript } from "../model/skill.ts";

/** What the decorators of an object's class and of those it extends have gathered. */
export interface DecoratedMembers {
  readonly resources: readonly AgentSkillResource[];
  readonly scripts: readonly AgentSkillScript[];
}

interface Gathered {
  readonly resources: Map<string, AgentSkillResource>;
  readonly scripts: Map<string, AgentSkillScript>;
}

const gathered = new WeakMap<object, Gathered>();
const NOTHING: DecoratedMembers = { resources: [], scripts: [] };

/** The resources and scripts that decorators made for an object. */
export function decoratedMembers(owner: object): DecoratedMembers {
  const own = gathered.get(owner);
  return own === undefined ? NOTHING : { resources: [...own.resources.values()], scripts: [...own.scripts.values()] };
}

/** Where the members of an object are gathered. Throws `skills-invalid` for what is no object: a static member. */
export function membersOf(owner: unknown): Gathered {
  if (typeof owner !== "object" || owner === null) {
    throw new SkillsError("skills-invalid", "Cannot decorate a static member as part of a skill");
  }
  const own = gathered.get(owner) ?? { resources: new Map(), scripts: new Map() };
  gathered.set(owner, own);
  return own;
}
