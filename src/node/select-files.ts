/** Owns which files of a skill are offered as resources and scripts: by extension, by depth, by the host's own filter. Never reads a file. */
import { SkillsError } from "../model/errors.ts";
import { extensionOf } from "../model/path.ts";
import type { SkillRecord } from "../model/record.ts";

/** Which file of which skill a filter is asked about. */
export interface FileQuestion {
  readonly skillName: string;
  /** Relative to the skill, with `/`. */
  readonly path: string;
}

/** Which files are offered. SKILL.md never is. */
export interface FileSelection {
  /** Extensions of resources, with their dot; default and null: all. An empty list: none. */
  readonly resourceExtensions?: readonly string[] | null;
  /** Extensions of scripts, with their dot; default and null: all that the packer takes for scripts. An empty list: none. */
  readonly scriptExtensions?: readonly string[] | null;
  /** How deep resources and scripts may lie: 1 is the skill's own directory. Default: any. */
  readonly searchDepth?: number;
  readonly resourceFilter?: (file: FileQuestion) => boolean;
  readonly scriptFilter?: (file: FileQuestion) => boolean;
}

/** A selection that was checked. */
export interface CheckedSelection {
  readonly isResource: (file: FileQuestion) => boolean;
  readonly isScript: (file: FileQuestion) => boolean;
}

/** Checks a selection. Throws `usage` for an extension without a dot or a depth below 1. */
export function selectionOf(selection: FileSelection): CheckedSelection {
  const { searchDepth = Number.POSITIVE_INFINITY, resourceFilter, scriptFilter } = selection;
  if (!(searchDepth >= 1)) {
    throw new SkillsError("usage", `Cannot search ${searchDepth} directories deep: at least 1 is needed`);
  }
  const resources = extensionsOf(selection.resourceExtensions);
  const scripts = extensionsOf(selection.scriptExtensions);
  const isNear = ({ path }: FileQuestion) => path.split("/").length <= searchDepth;
  return {
    isResource: (file) => isNear(file) && hasOne(resources, file) && (resourceFilter?.(file) ?? true),
    isScript: (file) => isNear(file) && hasOne(scripts, file) && (scriptFilter?.(file) ?? true),
  };
}

/** The record with only what is selected. */
export function selectFiles(record: SkillRecord, selection: CheckedSelection): SkillRecord {
  const question = (path: string): FileQuestion => ({ skillName: record.name, path });
  const scripts = record.scripts.filter(({ path }) => selection.isScript(question(path)));
  const isOffered = new Set(scripts.map(({ path }) => path));
  return {
    ...record,
    // A script can be read as well, so that a model may look at what it runs.
    files: record.files.filter(({ path }) => isOffered.has(path) || selection.isResource(question(path))),
    scripts,
  };
}

/** The record with its scripts listed, but not runnable. */
export function withoutRunner(record: SkillRecord): SkillRecord {
  const scripts = record.scripts.map((script) => {
    return { ...script, runnable: false, reason: script.reason ?? "no runner is set up here" };
  });
  return { ...record, scripts };
}

function extensionsOf(extensions: readonly string[] | null | undefined): ReadonlySet<string> | null {
  const wrong = extensions?.find((extension) => !/^\.[^./\\]+$/.test(extension));
  if (wrong !== undefined) {
    throw new SkillsError("usage", `Cannot use the extension ${JSON.stringify(wrong)}: it is a dot and a name`);
  }
  return extensions ? new Set(extensions.map((extension) => extension.toLowerCase())) : null;
}

function hasOne(extensions: ReadonlySet<string> | null, { path }: FileQuestion): boolean {
  return extensions === null || extensions.has(extensionOf(path));
}
