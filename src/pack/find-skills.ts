/** Owns the search for skills below the roots. Never reads a skill's files. Rules: cases/README.md, trees.json. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { isLeftover } from "../model/leftovers.ts";
import { isManifestName } from "../model/path.ts";
import { comparePaths } from "../model/record.ts";
import { IgnoreRules, slashed } from "./ignore-rules.ts";
import { followLink } from "./links.ts";
import type { Root, Territory } from "./roots.ts";

/** A directory that holds a SKILL.md. */
export interface FoundSkill {
  /** Absolute, below the root as it was given. */
  readonly path: string;
  /** The same without links. */
  readonly real: string;
  /** Relative to the root, empty for the root itself. */
  readonly inRoot: string;
  readonly root: Root;
  /** What it holds. */
  readonly entries: readonly Dirent[];
  /** What `.gitignore` files above and in it say. */
  readonly rules: IgnoreRules;
}

/** What a search found: skills in path order, and what belongs to none; `file` of a diagnostic is then an absolute path. */
export interface Search {
  readonly skills: readonly FoundSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Searches all roots. A skill that lies below two of them is found once. */
export function findSkills(roots: readonly Root[], territory: Territory): Search {
  const diagnostics = new Map<string, Diagnostic>();
  const skills = new Map<string, FoundSkill>();
  for (const root of roots) {
    const open: { inRoot: string; above: IgnoreRules | null }[] = [{ inRoot: "", above: null }];
    for (let next = open.pop(); next; next = open.pop()) {
      const directory = new Directory(root, next.inRoot, next.above, territory);
      for (const problem of directory.problems) {
        diagnostics.set(problem.file ?? "", problem);
      }
      if (directory.isSkill && !skills.has(directory.real)) {
        skills.set(directory.real, directory);
      }
      for (const name of directory.isSkill ? [] : directory.subdirectories) {
        open.push({ inRoot: joined(next.inRoot, name), above: directory.rules });
      }
    }
  }
  return {
    skills: [...skills.values()].sort((a, b) => comparePaths(slashed(a.path), slashed(b.path))),
    diagnostics: [...diagnostics.values()].sort((a, b) => comparePaths(a.file ?? "", b.file ?? "")),
  };
}

/** One directory of the search, looked at once. */
class Directory implements FoundSkill {
  readonly root: Root;
  readonly inRoot: string;
  readonly path: string;
  readonly real: string;
  readonly entries: readonly Dirent[];
  readonly rules: IgnoreRules;
  readonly isSkill: boolean;
  readonly subdirectories: string[] = [];
  readonly problems: Diagnostic[] = [];
  readonly #territory: Territory;

  constructor(root: Root, inRoot: string, above: IgnoreRules | null, territory: Territory) {
    this.root = root;
    this.inRoot = inRoot;
    this.path = join(root.path, inRoot);
    this.real = join(root.real, inRoot);
    this.#territory = territory;
    this.entries = this.#list();
    const hasRules = this.entries.some((entry) => entry.name === ".gitignore");
    this.rules = IgnoreRules.enter(above, inRoot, hasRules ? this.real : null);
    this.isSkill = this.entries.some((entry) => this.#isManifest(entry));
    if (!this.isSkill) {
      this.#sort();
    }
  }

  #list(): Dirent[] {
    try {
      return readdirSync(this.real, { withFileTypes: true });
    } catch (error) {
      const message = `The directory "${this.path}" cannot be read: ${(error as Error).message}`;
      this.problems.push(diagnostic("file-unreadable", message, { file: this.path, hint: "allow reading it" }));
      return [];
    }
  }

  #isManifest(entry: Dirent): boolean {
    if (!isManifestName(entry.name) || entry.isDirectory() || this.#ignores(entry.name)) {
      return false;
    }
    return !entry.isSymbolicLink() || followLink(this.real, entry.name, this.#territory).kind !== "directory";
  }

  #sort(): void {
    for (const entry of this.entries) {
      if (isLeftover(entry.name)) {
        continue;
      }
      if (entry.isSymbolicLink() && this.#leadsToDirectory(entry.name) && !this.#ignores(`${entry.name}/`)) {
        const file = join(this.path, entry.name);
        const message = `"${file}" is a link to a directory outside of a skill; it is not entered`;
        this.problems.push(
          diagnostic("symlink-skipped", message, {
            file,
            hint: "give the directory that it leads to as a root of its own",
          }),
        );
      } else if (entry.isDirectory() && !this.#ignores(`${entry.name}/`)) {
        this.subdirectories.push(entry.name);
      }
    }
  }

  #leadsToDirectory(name: string): boolean {
    const end = followLink(this.real, name, this.#territory);
    if (end.kind !== "outside") {
      return end.kind === "directory";
    }
    try {
      // Decides a warning only, never what is packed.
      return statSync(join(this.real, name)).isDirectory();
    } catch {
      return false;
    }
  }

  #ignores(name: string): boolean {
    return this.rules.ignores(joined(this.inRoot, name));
  }
}

/** The path of an absolute one relative to `base`, with `/`. */
export function shownPath(base: string, path: string): string {
  return slashed(relative(base, path)) || ".";
}

function joined(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}
