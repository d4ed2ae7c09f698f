/** Owns the scripts of a skill: which files are scripts, what runs them, whether they can run here. Never compiles. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import type { SkillScript } from "../model/record.ts";
import { type Interpreter, interpreterOf } from "./interpreter.ts";
import { NeedsReader, type ReadText, type SandboxTable } from "./sandbox-needs.ts";
import { scriptDescription } from "./script-description.ts";
import { scriptParameters } from "./script-parameters.ts";

/** The scripts of a skill and what keeps some from running. */
export interface ScriptsReading {
  readonly scripts: readonly SkillScript[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the scripts among a skill's files: below `scripts/`, with a first line `#!…` or the extension of a language. */
export function findScripts(paths: readonly string[], readText: ReadText, table: SandboxTable): ScriptsReading {
  const needs = new NeedsReader(new Set(paths), readText, table);
  const scripts = paths.flatMap((path) => {
    const content = path.startsWith("scripts/") ? (readText(path) ?? "") : "";
    const interpreter = path.startsWith("scripts/") ? interpreterOf(path, content) : null;
    return interpreter ? [describe(path, content, interpreter, needs, readText)] : [];
  });
  const diagnostics = scripts.flatMap(({ path, reason }) => (reason === null ? [] : [notRunnable(path, reason)]));
  return { scripts, diagnostics };
}

/** The diagnostic for a script that cannot run here. */
export function notRunnable(path: string, reason: string): Diagnostic {
  return diagnostic("script-not-runnable", `The script cannot run here: ${reason}`, {
    file: path,
    hint: "it is listed all the same; do without what is missing, or route the script to a runner that has it",
  });
}

function describe(
  path: string,
  content: string,
  interpreter: Interpreter,
  needs: NeedsReader,
  readText: ReadText,
): SkillScript {
  const { runtime, label } = interpreter;
  const reason = runtime === null ? `it needs ${label}, which the sandbox does not have` : needs.missing(path, runtime);
  return {
    path,
    description: scriptDescription(content, runtime),
    runtime,
    parameters: scriptParameters(path, content, runtime, readText),
    runnable: reason === null,
    reason,
    compiled: null,
  };
}
