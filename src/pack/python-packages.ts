/**
 * Owns the operator's set of Python packages: a directory that scripts/build-packages.ts makes, and which of it a skill needs.
 * Never makes a package, never asks an index.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { listedRequirements, scriptRequirements } from "../check/python-requirements.ts";
import type { Digest } from "../model/digest.ts";
import { SkillsError } from "../model/errors.ts";
import { sha256 } from "./hash.ts";

/** The list of a set, beside its zips. */
export const PACKAGES_FILE = "packages.json";

const setSchema = z.object({
  format: z.literal(1),
  packages: z.array(
    z.object({
      /** In the spelling of PEP 503. */
      name: z.string(),
      version: z.string(),
      /** The zip, whose root lies on Python's path. */
      file: z.string().check(z.regex(/^[\w.+-]+\.zip$/)),
      /** What can be imported, by the first part of the name. */
      modules: z.array(z.string()),
      /** Packages of the set that it imports itself. */
      requires: z.array(z.string()),
    }),
  ),
});

/** One package of a set. */
export type PythonPackage = z.infer<typeof setSchema>["packages"][number];

/** Every import, also inside a function: what is asked for late has to be there too. */
const IMPORTS =
  /^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*))/gm;

/** The first parts of the names of modules that a source imports anywhere. */
export function importedAnywhere(source: string): Set<string> {
  const names = [...source.matchAll(IMPORTS)].flatMap(([, from, list = ""]) => [from ?? "", ...list.split(",")]);
  return new Set(names.map((name) => name.trim().split(/[.\s]/)[0] ?? "").filter((name) => name !== ""));
}

/** A set of packages. */
export class PythonPackages {
  /** What its packages let scripts import. */
  readonly modules: ReadonlySet<string>;
  readonly #directory: string;
  readonly #packages: ReadonlyMap<string, PythonPackage>;
  readonly #read = new Map<string, readonly [Digest, Uint8Array]>();

  constructor(directory: string, packages: readonly PythonPackage[]) {
    this.#directory = directory;
    this.#packages = new Map(packages.map((one) => [one.name, one]));
    this.modules = new Set(packages.flatMap((one) => one.modules));
  }

  /** Opens a directory. Throws `config-invalid` when it holds no set. */
  static open(directory: string): PythonPackages {
    const file = join(directory, PACKAGES_FILE);
    if (!existsSync(file)) {
      throw new SkillsError(
        "config-invalid",
        `Cannot use Python packages in "${directory}": it has no ${PACKAGES_FILE}`,
      );
    }
    const parsed = z.safeParse(setSchema, JSON.parse(readFileSync(file, "utf8")));
    if (!parsed.success) {
      throw new SkillsError("config-invalid", `Cannot use "${file}": ${z.prettifyError(parsed.error)}`);
    }
    return new PythonPackages(directory, parsed.data.packages);
  }

  /** The packages that files of a skill import or ask for (PEP 723, requirements.txt), and what those need: by name. */
  needed(files: ReadonlyMap<string, Uint8Array>): PythonPackage[] {
    const names = new Set<string>();
    for (const [path, bytes] of files) {
      const isList = /(?:^|\/)requirements\.txt$/.test(path);
      if (!isList && !path.endsWith(".py") && !path.startsWith("scripts/")) {
        continue;
      }
      const text = new TextDecoder().decode(bytes);
      const asked = isList ? listedRequirements(text) : scriptRequirements(text);
      const imported = isList ? new Set<string>() : importedAnywhere(text);
      for (const one of this.#packages.values()) {
        if (one.modules.some((module) => imported.has(module)) || asked.some(({ name }) => name === one.name)) {
          names.add(one.name);
        }
      }
    }
    // A set that is added to while it is walked: what a package needs is walked too.
    for (const name of names) {
      for (const other of this.#packages.get(name)?.requires ?? []) {
        names.add(other);
      }
    }
    return [...this.#packages.values()].filter((one) => names.has(one.name));
  }

  /** A package's zip and its digest. */
  blob({ file }: PythonPackage): readonly [Digest, Uint8Array] {
    let blob = this.#read.get(file);
    if (blob === undefined) {
      const bytes = new Uint8Array(readFileSync(join(this.#directory, file)));
      blob = [sha256(bytes), bytes];
      this.#read.set(file, blob);
    }
    return blob;
  }
}
