/** Owns packing what the command line names, and telling people what the packer found. */
import { resolve } from "node:path";
import type { Diagnostic, Severity } from "../model/diagnostics.ts";
import { toSkillsError } from "../model/errors.ts";
import { layersOf } from "../pack/layers.ts";
import { type Packed, type PackedLayer, packSkills, type SkillReport } from "../pack/pack.ts";
import { BundleDirectory } from "../pack/read-bundle.ts";
import { BadInput, type CommandContext } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** What was packed, with what people want to know first. */
export interface PackedInput extends Packed {
  /** Names of the skills that are served. */
  readonly served: readonly string[];
  readonly errors: number;
  readonly warnings: number;
}

const DEFAULT_DIRECTORY = "skills-bundle";

/** The directories an argument `[dir...]` names. */
export function directoriesOf(argument: string | readonly string[] | undefined): string[] {
  return Array.isArray(argument) && argument.length > 0 ? [...argument] : [DEFAULT_DIRECTORY];
}

/** Packs directories. Throws `directory-missing`; what is wrong with skills is in the outcome. */
export async function packInput(
  directories: readonly string[],
  { cwd, terminal, signal }: CommandContext,
): Promise<PackedInput> {
  const layers = layersOf(directories.map((directory) => resolve(cwd, directory)));
  const onProgress = (done: number, total: number) => terminal.progress(`reading skills ${done}/${total}`);
  const packed = await packSkills({ layers }, { base: cwd, onProgress, signal });
  const all = [...packed.skills.flatMap((skill) => skill.diagnostics), ...packed.diagnostics];
  return {
    ...packed,
    served: packed.skills.flatMap((skill) =>
      skill.ok && skill.served !== false && skill.name !== null ? [skill.name] : [],
    ),
    errors: count(all, "error"),
    warnings: count(all, "warning"),
  };
}

/** The layers of a bundle that was packed before. Throws `BadInput` for one that is damaged or of an unknown format. */
export function readBundleLayers(path: string): PackedLayer[] {
  try {
    const bundle = BundleDirectory.open(path);
    return bundle.layers.map((layer) => bundle.readLayer(layer));
  } catch (error) {
    throw new BadInput(toSkillsError(error));
  }
}

/** What `check --json` prints (CONTRACT.md §2). */
export function checkDocument(packed: PackedInput) {
  const summary = { skills: packed.skills.length, errors: packed.errors, warnings: packed.warnings };
  return { skills: packed.skills, diagnostics: packed.diagnostics, summary };
}

/** Tells people what the packer found: errors and warnings, by skill. */
export function describeProblems(packed: PackedInput, terminal: Terminal): void {
  for (const skill of packed.skills) {
    describeSkill(skill, terminal);
  }
  for (const problem of packed.diagnostics) {
    terminal.say(problemLine(problem, terminal));
  }
}

function describeSkill({ path, name, diagnostics }: SkillReport, terminal: Terminal): void {
  const shown = diagnostics.filter((problem) => problem.severity !== "info");
  if (shown.length === 0) {
    return;
  }
  terminal.say(terminal.style("bold", path) + (name === null ? "" : ` (${name})`));
  for (const problem of shown) {
    terminal.say(`  ${problemLine(problem, terminal)}`);
  }
}

function problemLine({ severity, code, message, file, line, column, hint }: Diagnostic, terminal: Terminal): string {
  const where = file === undefined ? "" : `${[file, line, column].filter((part) => part !== undefined).join(":")}: `;
  const word = terminal.style(severity === "error" ? "red" : "yellow", severity);
  return `${word} ${where}${message} (${code})${hint === undefined ? "" : `\n    ${hint}`}`;
}

function count(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.filter((problem) => problem.severity === severity).length;
}
