/**
 * Owns the source of skills that lie on this machine's disk, read and checked as the packer does. What it reads it keeps, so that a skill
 * that was listed stays as it was. Runs nothing: scripts go to a runner.
 */
import { type CheckedSkill, checkSkill } from "../check/check-skill.ts";

import { DEFAULT_LIMITS, type SkillLimits } from "../check/limits.ts";
import type { SandboxTable } from "../check/sandbox-needs.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { logged, NO_LOG, type SkillsLogger } from "../model/log.ts";
import type { ScriptRunner } from "../model/runner.ts";
import { SANDBOX_TABLE } from "../model/sandbox-table.ts";
import { type AgentSkill, AgentSkillsSource } from "../model/skill.ts";
import { type FoundSkill, findSkills } from "../pack/find-skills.ts";
import { readSkill } from "../pack/read-skill.ts";
import { openRoots, type Root, Territory } from "../pack/roots.ts";
import { RecordSkill } from "../sources/record-skill.ts";
import { type FileSelection, selectFiles, selectionOf, withoutRunner } from "./select-files.ts";

/** How skills on a disk are read. */
export interface FileSourceOptions extends FileSelection {
  /** What scripts are sent to; without one they are listed as not runnable. */
  readonly runner?: ScriptRunner | ScriptRunner["run"] | null;
  /** How many directories below a root a skill may lie; default 6. A root may be a skill itself. */
  readonly skillDepth?: number;
  readonly limits?: SkillLimits;
  /** What the runner provides to scripts; decides which can run. */
  readonly sandbox?: SandboxTable;
  readonly logger?: SkillsLogger;
}

/** What is to be said of one skill on the disk. */
export interface FileSkillReport {
  readonly path: string;
  /** Null when none could be read. */
  readonly name: string | null;
  /** False: it has an error and is left out. */
  readonly ok: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

const SKILL_DEPTH = 6;
let sources = 0;

/**
 * Skills below some directories. Each call looks at the disk again; a caching source in front of it decides how often.
 *
 * @example
 * const source = new AgentFileSkillsSource(["./skills"], { scriptExtensions: [".py"], runner });
 * await source.getSkills(NO_CONTEXT);
 * source.reports; // what is wrong with which skill
 */
export class AgentFileSkillsSource extends AgentSkillsSource {
  readonly #paths: readonly string[];
  readonly #options: FileSourceOptions;
  readonly #selection: ReturnType<typeof selectionOf>;
  readonly #log: SkillsLogger;
  readonly #id = ++sources;
  #reports: readonly FileSkillReport[] = [];
  #kept: { readonly text: string; readonly skills: readonly AgentSkill[] } | null = null;

  /** Throws `usage` for an extension without a dot or a depth below 1. */
  constructor(paths: string | Iterable<string>, options: FileSourceOptions = {}) {
    super();
    this.#paths = typeof paths === "string" ? [paths] : [...paths];
    this.#options = options;
    this.#selection = selectionOf(options);
    this.#log = options.logger ?? NO_LOG;
    if ((options.skillDepth ?? SKILL_DEPTH) < 1) {
      throw new SkillsError("usage", `Cannot search ${options.skillDepth} directories deep: at least 1 is needed`);
    }
  }

  /** What was said of each skill when the disk was last looked at; those that are left out, too. */
  get reports(): readonly FileSkillReport[] {
    return this.#reports;
  }

  async getSkills(): Promise<readonly AgentSkill[]> {
    const { limits = DEFAULT_LIMITS, sandbox = SANDBOX_TABLE, skillDepth = SKILL_DEPTH } = this.#options;
    const roots = this.#roots();
    const territory = new Territory(roots);
    const search = findSkills(roots, territory);
    for (const { message } of search.diagnostics) {
      this.#log.warn(message);
    }
    const found = search.skills.filter(({ inRoot }) => depthOf(inRoot) <= skillDepth);
    const read = found.map((skill) => {
      const input = readSkill(skill, territory, limits);
      return { skill, input, checked: checkSkill(input, { sandbox, limits }) };
    });
    this.#report(read);

    const text = JSON.stringify(read.map(({ input, checked }) => [input.directory, checked.skill?.digest]));
    if (this.#kept?.text !== text) {
      const skills = read.flatMap(({ input, checked }) => this.#open(checked, input.files));
      this.#kept = { text, skills: Object.freeze(skills) };
    }
    return this.#kept.skills;
  }

  /** Directories that are not there, or blank, are told and left out: what mounts later is found by a later call. */
  #roots(): Root[] {
    return this.#paths.flatMap((path) => {
      try {
        return path.trim() === "" ? [] : openRoots([path]);
      } catch (error) {
        this.#log.warn(`A directory of skills cannot be read: ${logged(path)}`, { error });
        return [];
      }
    });
  }

  #report(read: readonly { readonly skill: FoundSkill; readonly checked: CheckedSkill }[]): void {
    this.#reports = read.map(({ skill, checked: { name, diagnostics, skill: record } }) => {
      return { path: skill.path, name, ok: record !== null, diagnostics };
    });
    for (const { path, ok, diagnostics } of this.#reports) {
      if (!ok) {
        const codes = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
        this.#log.warn(`A skill is left out: ${logged(path)}`, { codes });
      }
    }
  }

  #open(checked: CheckedSkill, files: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly digest: Digest }>) {
    if (checked.skill === null) {
      return [];
    }
    const { runner: given = null } = this.#options;
    const runner = typeof given === "function" ? { run: given } : given;
    const selected = selectFiles(checked.skill, this.#selection);
    const record = runner === null ? withoutRunner(selected) : selected;
    const blobs = new Map([...files.values()].map(({ bytes, digest }) => [digest, bytes]));
    const readBlob = async (digest: Digest): Promise<Uint8Array> => {
      const bytes = blobs.get(digest);
      if (bytes === undefined) {
        throw new SkillsError("resource-not-found", `Cannot read ${digest}: it is no part of this skill`);
      }
      return bytes;
    };
    const revision = `file:${this.#id}:${record.name}:${record.digest}`;
    return [new RecordSkill(record, { revision, layer: null, runner, readBlob })];
  }
}

function depthOf(inRoot: string): number {
  return inRoot === "" ? 0 : inRoot.split("/").length;
}
