/**
 * Owns the Python packages that are part of the input: a directory of wheels, which of them a skill needs, and each as the layer that the
 * sandbox plants. Never fetches a wheel, never runs any of it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Zippable, zipSync } from "fflate";
import { listedRequirements, scriptRequirements } from "../../check/python-requirements.ts";
import type { Digest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { sha256 } from "../hash.ts";
import { compileTree } from "./compile-tree.ts";
import { importedAnywhere } from "./imports.ts";
import { checkLock, type Lock } from "./lock.ts";
import { neededBy, openWheel, type Wheel } from "./wheel.ts";

/** A package as a bundle holds it: a zip whose root lies on Python's path, modules compiled. */
export type PackageLayer = readonly [Digest, Uint8Array];

/** A time for all files: the same wheel gives the same bytes. */
const MTIME = (): Date => new Date(1980, 0, 1);

/** A lock and where it lies. */
export interface LockFile {
  readonly file: string;
  readonly lock: Lock;
}

/** The packages of a directory of wheels. */
export class PythonPackages {
  /** What its packages let scripts import. */
  readonly modules: ReadonlySet<string>;
  /** In order of their names. */
  readonly wheels: readonly Wheel[];
  /** Over all wheels. */
  readonly digest: Digest;
  readonly #byName: ReadonlyMap<string, Wheel>;
  readonly #packageOf: ReadonlyMap<string, string>;
  readonly #needs = new Map<string, ReadonlySet<string>>();
  readonly #layers: Map<Digest, Promise<PackageLayer>>;
  #compiling: Promise<unknown> = Promise.resolve();

  /** `layers`: what an earlier pack made of wheels, by their digests. Throws `packages-invalid` when two wheels are of one package. */
  constructor(wheels: readonly Wheel[], layers: Map<Digest, Promise<PackageLayer>> = new Map()) {
    this.wheels = wheels.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    this.#byName = new Map(this.wheels.map((wheel) => [wheel.name, wheel]));
    this.#packageOf = new Map(this.wheels.flatMap(({ name, modules }) => modules.map((module) => [module, name])));
    this.#layers = layers;
    this.modules = new Set(this.#packageOf.keys());
    this.digest = sha256(new TextEncoder().encode(this.wheels.map(({ digest }) => digest).join("\n")));
    const twice = this.wheels.find((wheel) => this.#byName.get(wheel.name) !== wheel);
    if (twice !== undefined) {
      const other = this.#byName.get(twice.name)?.file;
      throw new SkillsError("packages-invalid", `Cannot use both "${twice.file}" and "${other}": remove one of them`);
    }
  }

  /** Opens a directory of wheels, held against a lock. Throws `directory-missing` or `packages-invalid`. */
  static open(
    directory: string,
    locked: LockFile | null = null,
    layers: Map<Digest, Promise<PackageLayer>> = new Map(),
  ): PythonPackages {
    const files = wheelsIn(directory);
    const packages = new PythonPackages(
      files.map((file) => openWheel(file, new Uint8Array(readFileSync(join(directory, file))))),
      layers,
    );
    if (locked !== null) {
      checkLock(packages.wheels, locked.lock, locked.file);
    }
    return packages;
  }

  /** The packages that files of a skill import or ask for (PEP 723, requirements.txt), and what those need: by name. */
  needed(files: ReadonlyMap<string, Uint8Array>): Wheel[] {
    const names = new Set<string>();
    for (const [path, bytes] of files) {
      const isList = /(?:^|\/)requirements\.txt$/.test(path);
      if (!isList && !path.endsWith(".py") && !path.startsWith("scripts/")) {
        continue;
      }
      const text = new TextDecoder().decode(bytes);
      const asked = isList ? listedRequirements(text) : scriptRequirements(text);
      const imported = isList ? new Set<string>() : importedAnywhere(text);
      for (const { name, modules } of this.wheels) {
        if (modules.some((module) => imported.has(module)) || asked.some((one) => one.name === name)) {
          names.add(name);
        }
      }
    }
    // A set that is added to while it is walked: what a package needs is walked too.
    for (const name of names) {
      for (const other of this.#needsOf(name)) {
        names.add(other);
      }
    }
    return this.wheels.filter(({ name }) => names.has(name));
  }

  /** A package as a bundle holds it. */
  layerOf(wheel: Wheel): Promise<PackageLayer> {
    const known = this.#layers.get(wheel.digest);
    if (known !== undefined) {
      return known;
    }
    // One interpreter at a time: each takes tens of megabytes.
    const layer = this.#compiling.then(() => makeLayer(wheel));
    this.#layers.set(wheel.digest, layer);
    this.#compiling = layer.catch(() => undefined);
    return layer;
  }

  #needsOf(name: string): ReadonlySet<string> {
    const wheel = this.#byName.get(name);
    const known = this.#needs.get(name) ?? (wheel ? neededBy(wheel, this.#packageOf) : new Set());
    this.#needs.set(name, known);
    return known;
  }
}

async function makeLayer(wheel: Wheel): Promise<PackageLayer> {
  const files = wheel.files();
  const contents: Zippable = {};
  for (const [path, bytes] of [...files, ...(await compileTree(files))].sort(([a], [b]) => (a < b ? -1 : 1))) {
    contents[path] = [bytes, { mtime: MTIME(), level: 9 }];
  }
  const bytes = zipSync(contents);
  return [sha256(bytes), bytes];
}

function wheelsIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".whl"))
      .sort();
  } catch (cause) {
    throw new SkillsError("directory-missing", `Cannot read wheels in "${directory}": there is no such directory`, {
      cause,
      hint: "edge-skills packages build makes one",
    });
  }
}
