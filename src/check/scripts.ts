/** Owns the scripts of a skill: which files are scripts, what runs them, whether they can run here. Never compiles. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import type { SkillScript } from "../model/record.ts";
import { type Interpreter, interpreterOf } from "./interpreter.ts";
import { type Lack, type NeededFiles, NeedsReader, type ReadText, type SandboxTable } from "./sandbox-needs.ts";
import { scriptDescription } from "./script-description.ts";
import { scriptParameters } from "./script-parameters.ts";

/** The scripts of a skill and what keeps some from running. */
export interface ScriptsReading {
  readonly scripts: readonly SkillScript[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the scripts among a skill's files: below `scripts/`, with a first line `#!…` or the extension of a language. */
export function findScripts(files: NeededFiles, table: SandboxTable): ScriptsReading {
  const needs = new NeedsReader(files, table);
  const scripts: SkillScript[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const path of files.paths) {
    const content = path.startsWith("scripts/") ? (files.readText(path) ?? "") : "";
    const interpreter = path.startsWith("scripts/") ? interpreterOf(path, content) : null;
    if (interpreter !== null) {
      const lacks = lacksOf(path, interpreter, needs);
      scripts.push(describe(path, content, { interpreter, lack: lacks[0] ?? null, readText: files.readText }));
      diagnostics.push(...lacks.map((lack) => notRunnable(path, { ...lack, hint: hintFor(lack) })));
    }
  }
  return { scripts, diagnostics };
}

/** The diagnostic for a script that cannot run here. */
export function notRunnable(
  path: string,
  { reason, file = path, line = null, hint = DO_WITHOUT }: Hindrance,
): Diagnostic {
  const what = file === path ? "The script" : `The script ${path}`;
  const place = { file, ...(line === null ? {} : { line }) };
  return diagnostic("script-not-runnable", `${what} cannot run here: ${reason}`, { ...place, hint });
}

/** What keeps a script from running, and where it stands: in the script itself unless another file is named. */
export interface Hindrance {
  readonly reason: string;
  readonly file?: string;
  readonly line?: number | null;
  readonly hint?: string;
}

const DO_WITHOUT = "it is listed all the same; do without what is missing, or route the script to a runner that has it";

function hintFor({ package: bringer }: Lack): string {
  if (bringer === null) {
    return DO_WITHOUT;
  }
  const { of, name } = bringer;
  if (of === "npm") {
    return `npm install ${name} in the skill's directory, and it is packed into the script; without it the script is listed all the same`;
  }
  const word = /^[\w.-]+$/.test(name) ? name : `"${name.replaceAll('"', "'")}"`;
  return `edge-skills packages build ${word} makes wheels of it, which --wheels packs with the skill; without it the script is listed all the same`;
}

function lacksOf(path: string, { runtime, label }: Interpreter, needs: NeedsReader): readonly Lack[] {
  return runtime === null
    ? [{ reason: `it needs ${label}, which the sandbox does not have`, file: path, line: null, package: null }]
    : needs.missing(path, runtime);
}

interface ScriptReading {
  readonly interpreter: Interpreter;
  /** The first thing that keeps it from running. */
  readonly lack: Lack | null;
  readonly readText: ReadText;
}

function describe(path: string, content: string, { interpreter, lack, readText }: ScriptReading): SkillScript {
  const { runtime } = interpreter;
  return {
    path,
    description: scriptDescription(content, runtime),
    runtime,
    parameters: scriptParameters(path, content, runtime, readText),
    runnable: lack === null,
    reason: lack?.reason ?? null,
    compiled: null,
  };
}
