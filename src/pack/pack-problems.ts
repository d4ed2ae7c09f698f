/** Owns what a pack says of skills that are none, are there twice, or belong to nobody; never finds them. */
import { basename } from "node:path";
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { type FoundSkill, shownPath } from "./find-skills.ts";
import type { LayerRoots } from "./layers.ts";

/** The diagnostic of a skill whose name an earlier one of its layer has. */
export function duplicate(name: string | null, first: FoundSkill, later: FoundSkill): Diagnostic {
  const other = shownPath(later.path, first.path);
  const message = `"${name}" is already the name of the skill in "${other}", which is served`;
  return diagnostic("duplicate-skill", message, { hint: "rename or remove one of the two" });
}

/** The diagnostic of a pack that found no skill at all. */
export function noSkills(layers: readonly LayerRoots[]): Diagnostic {
  const where = layers.flatMap(({ roots }) => roots.map((root) => `"${root}"`)).join(", ") || "no directory";
  const hint = "a skill is a directory with a file called SKILL.md";
  return diagnostic("zero-skills", `No SKILL.md was found in ${where}`, { hint });
}

/** A problem that belongs to no skill, with its file relative to `base`. */
export function shown(problem: Diagnostic, base: string): Diagnostic {
  const { file } = problem;
  if (file === undefined) {
    return problem;
  }
  const path = shownPath(base, file);
  return { ...problem, file: path, message: problem.message.replaceAll(file, () => path || basename(file)) };
}
