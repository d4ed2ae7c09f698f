/** Owns words for what changes between bundles. Never computes it. */

import type { Change, FileChange, LayerDiff, SkillChange } from "../deploy/diff.ts";
import { counted } from "../model/counted.ts";
import { printable } from "./source-line.ts";
import type { Terminal } from "./terminal.ts";

const SIGNS = { added: ["+", "green"], removed: ["-", "red"], changed: ["~", "yellow"] } as const;

/** The lines of a whole diff: layers, skills, files. */
export function diffLines(layers: readonly LayerDiff[], terminal: Terminal): string[] {
  return layers.flatMap(({ layer, skills }) => [
    `${terminal.styleResult("bold", layer)}  ${summaryOf(skills)}`,
    ...skills.flatMap((skill) => [
      `  ${signed(skill.change, skill.skill, terminal)}  ${sizes(skill)}${note(skill)}`,
      ...skill.files.map((file) => `      ${signed(file.change, file.path, terminal)}  ${sizes(file)}`),
    ]),
  ]);
}

/** `1 skill added, 2 changed`. */
export function summaryOf(skills: readonly SkillChange[]): string {
  const counts = (["added", "changed", "removed"] as const).flatMap((change) => {
    const count = skills.filter((skill) => skill.change === change).length;
    return count === 0 ? [] : [`${count} ${change}`];
  });
  return counts.length === 0 ? "no skill differs" : `skills: ${counts.join(", ")}`;
}

function signed(change: Change, name: string, terminal: Terminal): string {
  const [sign, style] = SIGNS[change];
  return terminal.styleResult(style, `${sign} ${printable(name)}`);
}

function note({ change, files }: SkillChange): string {
  return change === "changed" && files.length === 0 ? ", packed by another version" : "";
}

function sizes({ before, after }: Pick<FileChange, "before" | "after">): string {
  if (before === null || after === null) {
    return counted(before ?? after ?? 0, "byte");
  }
  return before === after ? counted(after, "byte") : `${before} → ${counted(after, "byte")}`;
}
