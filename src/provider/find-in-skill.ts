/** Owns finding a resource or script among a skill's own. Never offers a name from elsewhere. */
import { type ErrorCode, SkillsError } from "../model/errors.ts";
import { isSafePath } from "../model/path.ts";
import type { AgentSkill, AgentSkillResource, AgentSkillScript } from "../model/skill.ts";
import { nearestNames } from "./candidates.ts";
import { quoted } from "./catalogue.ts";
import { lookUp } from "./look-up.ts";

/** The resource a written name means. Throws `resource-not-found` with candidates. */
export async function findResource(skill: AgentSkill, wanted: string): Promise<AgentSkillResource> {
  const listed = await skill.listResources();
  const unlisted = listed === null ? await byExactName(wanted, (name) => skill.getResource?.(name)) : null;
  return unlisted ?? only(skill, wanted, listed ?? [], { code: "resource-not-found", kind: "resource" });
}

/** The script a written name means. Throws `script-not-found` with candidates. */
export async function findScript(skill: AgentSkill, wanted: string): Promise<AgentSkillScript> {
  const listed = await skill.listScripts();
  const unlisted = listed === null ? await byExactName(wanted, (name) => skill.getScript?.(name)) : null;
  return unlisted ?? only(skill, wanted, listed ?? [], { code: "script-not-found", kind: "script" });
}

/** A skill that cannot list is asked by name; a name that leads out of it is never passed on. */
async function byExactName<T>(wanted: string, get: (name: string) => Promise<T | null> | undefined): Promise<T | null> {
  return isSafePath(wanted) ? ((await get(wanted)) ?? null) : null;
}

function only<T extends { readonly name: string }>(
  skill: AgentSkill,
  wanted: string,
  listed: readonly T[],
  missing: { readonly code: ErrorCode; readonly kind: string },
): T {
  const hits = lookUp(
    wanted,
    listed.map((item) => ({ name: item.name, value: item })),
  );
  const [hit] = hits;
  if (hit && hits.length === 1) {
    return hit.value;
  }
  const several = hits.map((item) => item.name);
  const names = listed.map((item) => item.name);
  throw new SkillsError(
    missing.code,
    `Cannot find ${missing.kind} ${quoted(wanted)} in skill "${skill.name}": ${several.length > 0 ? "several are meant" : "there is none"}`,
    { candidates: several.length > 0 ? several : nearestNames(wanted, names) },
  );
}
