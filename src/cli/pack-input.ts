/** Owns packing what the command line names, and telling people what the packer found. */
import { resolve } from "node:path";
import { counted } from "../model/counted.ts";
import type { Diagnostic, Severity } from "../model/diagnostics.ts";
import { toSkillsError } from "../model/errors.ts";
import { type LayerRoots, layersOf } from "../pack/layers.ts";
import { type Packed, type PackedLayer, type PackOptions, packSkills, type SkillReport } from "../pack/pack.ts";
import { BundleDirectory } from "../pack/read-bundle.ts";
import { BadInput, type CommandContext, type Flags } from "./command.ts";
import { openPackages } from "./packages-flags.ts";
import { printable } from "./source-line.ts";
import type { Terminal } from "./terminal.ts";

/** What was packed, with what people want to know first. */
export interface PackedInput extends Packed {
  /** Names of the skills that are served. */
  readonly served: readonly string[];
  readonly errors: number;
  readonly warnings: number;
  /** With `--scopes`: where skills were looked for. */
  readonly scopes?: readonly { readonly path: string; readonly scope: string; readonly trusted: boolean }[];
}

/** How the packer is to go about it. */
export type PackInputOptions = Pick<PackOptions, "precedence" | "memory" | "purpose">;

const DEFAULT_DIRECTORY = "skills-bundle";

/** The directories an argument `[dir...]` names. */
export function directoriesOf(argument: string | readonly string[] | undefined): string[] {
  return Array.isArray(argument) && argument.length > 0 ? [...argument] : [DEFAULT_DIRECTORY];
}

/** Packs directories. Throws `directory-missing`; what is wrong with skills is in the outcome. */
export function packInput(
  directories: readonly string[],
  flags: Flags,
  context: CommandContext,
  options: PackInputOptions = {},
): Promise<PackedInput> {
  const layers = layersOf(directories.map((directory) => resolve(context.cwd, directory)));
  return packLayers(layers, flags, context, options);
}

/** Packs layers, with the Python packages that the flags or the settings name. */
export async function packLayers(
  layers: readonly LayerRoots[],
  flags: Flags,
  context: CommandContext,
  options: PackInputOptions = {},
): Promise<PackedInput> {
  const { cwd, terminal, signal } = context;
  const onProgress = (done: number, total: number) => terminal.progress({ what: "reading skills", done, total });
  const packages = openPackages(flags, context, options.memory);
  const packed = await packSkills({ layers }, { ...options, base: cwd, onProgress, signal, packages });
  const all = [...packed.skills.flatMap((skill) => skill.diagnostics), ...packed.diagnostics];
  return {
    ...packed,
    served: packed.skills.flatMap((skill) =>
      skill.ok && skill.served !== false && skill.name !== null ? [skill.name] : [],
    ),
    errors: countSeverity(all, "error"),
    warnings: countSeverity(all, "warning"),
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
  const { skills, diagnostics, scopes } = packed;
  return { ...(scopes === undefined ? {} : { scopes }), skills, diagnostics, summary };
}

/** Further lines below a problem of the skill at `path`. */
export type ProblemDetail = (path: string, problem: Diagnostic) => readonly string[];

/** Tells people what the packer found: errors and warnings, by skill. */
export function describeProblems(packed: PackedInput, terminal: Terminal, detail: ProblemDetail = () => []): void {
  for (const skill of packed.skills) {
    describeDiagnostics(skill, terminal, detail);
  }
  for (const problem of packed.diagnostics) {
    terminal.say(problemText(problem, terminal, []).join("\n    "));
  }
}

/** For commands that are not about the skills' faults: tells what leaves skills out, and who tells the rest. */
export function describeErrors(packed: PackedInput, directory: string, terminal: Terminal): void {
  const errorsOf = <T extends { readonly diagnostics: readonly Diagnostic[] }>(owner: T): T => ({
    ...owner,
    diagnostics: owner.diagnostics.filter(({ severity }) => severity === "error"),
  });
  describeProblems({ ...errorsOf(packed), skills: packed.skills.map(errorsOf) }, terminal);
  if (packed.warnings > 0) {
    terminal.say(`${counted(packed.warnings, "warning")}; edge-skills check ${printable(directory)} tells more`);
  }
}

/** Tells people what is wrong with one skill; nothing when there is neither error nor warning. */
export function describeDiagnostics(
  { path, name, diagnostics }: Pick<SkillReport, "path" | "name" | "diagnostics">,
  terminal: Terminal,
  detail: ProblemDetail = () => [],
): void {
  const shown = diagnostics.filter((problem) => problem.severity !== "info");
  if (shown.length === 0) {
    return;
  }
  terminal.say(terminal.style("bold", printable(path)) + (name === null ? "" : ` (${name})`));
  for (const problem of shown) {
    terminal.say(`  ${problemText(problem, terminal, detail(path, problem)).join("\n    ")}`);
  }
}

/** The problem, where it stands, and how to mend it: the first line and those below it. */
function problemText(problem: Diagnostic, terminal: Terminal, source: readonly string[]): string[] {
  const { severity, code, message, file, line, column, hint } = problem;
  const where = file === undefined ? "" : `${[file, line, column].filter((part) => part !== undefined).join(":")}: `;
  const word = terminal.style(severity === "error" ? "red" : "yellow", severity);
  const [text = "", caret] = source;
  const shown = caret === undefined ? [] : [terminal.style("dim", text), terminal.style("green", caret)];
  return [
    `${word} ${printable(where + message)} (${code})`,
    ...shown,
    ...(hint === undefined ? [] : [printable(hint)]),
  ];
}

/** How many have a severity. */
export function countSeverity(diagnostics: readonly Diagnostic[], severity: Severity): number {
  return diagnostics.filter((problem) => problem.severity === severity).length;
}
