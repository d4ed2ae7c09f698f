/** Owns finding and checking the skills of a directory that is imported. Never writes. Rules: those of packing. */
import { basename } from "node:path";
import { type CheckedSkill, checkSkill, type InputFile, type SkillInput } from "../../check/check-skill.ts";
import { DEFAULT_LIMITS } from "../../check/limits.ts";
import type { Diagnostic } from "../../model/diagnostics.ts";
import type { Digest } from "../../model/digest.ts";
import { SANDBOX_TABLE } from "../../model/sandbox-table.ts";
import { findSkills } from "../find-skills.ts";
import { readSkill } from "../read-skill.ts";
import { openRoots, Territory } from "../roots.ts";

/** A skill that was found. */
export interface FoundImport {
  /** The served name; null when none could be read. */
  readonly name: string | null;
  /** Where it lies in the source, with `/`; empty for its root. */
  readonly path: string;
  readonly digest: Digest;
  readonly files: ReadonlyMap<string, InputFile>;
  /** False for a skill with an error. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** The skills of a directory, in path order, and what belongs to none. */
export interface TreeReading {
  readonly skills: readonly FoundImport[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the skills below a directory; `label` stands for its name, which may be one that was made up. Throws `directory-missing`. */
export function readTree(directory: string, label: string): TreeReading {
  const roots = openRoots([directory]);
  const territory = new Territory(roots);
  const search = findSkills(roots, territory);
  const skills = search.skills.map((found) => {
    const input = readSkill(found, territory, DEFAULT_LIMITS);
    const checked = checkAsPlaced({ ...input, directory: found.inRoot === "" ? label : basename(found.inRoot) });
    return {
      name: checked.name,
      path: found.inRoot,
      digest: input.digest,
      files: input.files,
      ok: checked.skill !== null,
      diagnostics: checked.diagnostics,
    };
  });
  return { skills, diagnostics: search.diagnostics };
}

/** Checks a skill as it will lie: in a directory of its own name, so that the one it came in is of no account. */
function checkAsPlaced(input: SkillInput): CheckedSkill {
  const options = { sandbox: SANDBOX_TABLE, limits: DEFAULT_LIMITS };
  const checked = checkSkill(input, options);
  const { name } = checked;
  return name === null || name === input.directory ? checked : checkSkill({ ...input, directory: name }, options);
}
