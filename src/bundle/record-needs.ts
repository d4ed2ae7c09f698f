/** Owns which blobs a skill's record refers to. Never reads storage. */
import type { Digest } from "../model/digest.ts";
import type { SkillFile, SkillRecord } from "../model/record.ts";

/** What a record refers to. */
export interface RecordNeeds {
  /** Its files, the SKILL.md in both forms among them. */
  readonly files: readonly SkillFile[];
  /** Blobs whose size it does not tell: compiled scripts, packages. */
  readonly blobs: readonly Digest[];
}

/** What a record refers to; a digest may come twice. */
export function neededBy({ manifest, portable, files, scripts, packages = [] }: SkillRecord): RecordNeeds {
  return {
    files: [manifest, ...(portable ? [portable] : []), ...files],
    blobs: [...scripts.flatMap((script) => script.compiled ?? []), ...packages],
  };
}
