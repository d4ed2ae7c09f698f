/** Owns the list of projects whose own skills this user trusts. It lies with the user, never in a project: no project can trust itself. */

import { readFileSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { SkillsError } from "../model/errors.ts";
import { makeDirectory } from "../pack/make-directory.ts";

const schema = z.object({ projects: z.array(z.string()) });

/** The projects that are trusted, by their real paths. */
export class TrustList {
  readonly file: string;
  readonly #projects: Set<string>;

  private constructor(file: string, projects: Iterable<string>) {
    this.file = file;
    this.#projects = new Set(projects);
  }

  /** Reads the list of the user whose home this is. Throws `config-invalid` for a file that is no such list. */
  static open(home: string, env: Readonly<Record<string, string | undefined>>): TrustList {
    const config = env.XDG_CONFIG_HOME ? env.XDG_CONFIG_HOME : join(home, ".config");
    const file = join(config, "edge-skills", "trust.json");
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch {
      return new TrustList(file, []);
    }
    return new TrustList(file, projectsOf(text, file));
  }

  /** Tells whether a project is trusted. */
  has(project: string): boolean {
    return this.#projects.has(realpathSync(project));
  }

  /** Trusts a project from now on. */
  add(project: string): void {
    this.#projects.add(realpathSync(project));
    const part = `${this.file}.${process.pid}.part`;
    makeDirectory(dirname(this.file));
    writeFileSync(part, `${JSON.stringify({ projects: [...this.#projects].sort() }, null, 2)}\n`);
    renameSync(part, this.file);
  }
}

function projectsOf(text: string, file: string): readonly string[] {
  try {
    return schema.parse(JSON.parse(text)).projects;
  } catch (cause) {
    throw new SkillsError("config-invalid", `Cannot read "${file}": it is no list of trusted projects`, {
      cause,
      hint: 'it holds { "projects": ["/path/to/project"] }; remove it to trust none',
    });
  }
}
