/** Owns packing: from directories to one bundle per layer and a report on every skill. Reads no clock, writes nothing. DESIGN.md §2, §4. */
import { setImmediate } from "node:timers/promises";
import { encodeIndex, inIndexOrder } from "../bundle/index-format.ts";
import { type CheckedSkill, checkSkill, compareDiagnostics, type SkillInput } from "../check/check-skill.ts";
import { DEFAULT_LIMITS, type SkillLimits } from "../check/limits.ts";
import type { SandboxTable } from "../check/sandbox-needs.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Digest } from "../model/digest.ts";
import { PLATFORM_LAYER } from "../model/layer.ts";
import { comparePaths } from "../model/record.ts";
import { SANDBOX_TABLE } from "../model/sandbox-table.ts";
import { BlobMap } from "./blob-map.ts";
import { digestOfLayers } from "./bundle-manifest.ts";
import { compileJavaScript } from "./compile-javascript.ts";
import { type FoundSkill, findSkills, shownPath } from "./find-skills.ts";
import { sha256 } from "./hash.ts";
import { NpmPackages } from "./javascript/npm-packages.ts";
import type { LayerRoots } from "./layers.ts";
import { mapSome } from "./map-some.ts";
import { fresh, type PackMemory, type Remembered, type Verdict } from "./pack-memory.ts";
import { duplicate, noSkills, shown } from "./pack-problems.ts";
import {
  type CompileJavaScript,
  type Compilers,
  compileScripts,
  type PackableSkill,
  type PackedSkill,
  packSkill,
} from "./pack-skill.ts";
import type { PythonPackages } from "./python/packages.ts";
import { type PythonFault, PythonSyntax } from "./python/syntax.ts";
import { readSkill } from "./read-skill.ts";
import { openRoots, type Root, Territory } from "./roots.ts";
import { searchBlob } from "./search-blob.ts";

/** What to pack: directories of the platform layer, or layers. */
export type PackRequest = { readonly roots: readonly string[] } | { readonly layers: readonly LayerRoots[] };

/** Which of two skills with one name is served: the first in path order, or the one below the root that is named first. */
export type Precedence = "path" | "roots";

/** How to pack. */
export interface PackOptions {
  /** Default: `path`. */
  readonly precedence?: Precedence;
  /** Paths in reports are relative to it; default: the current directory. */
  readonly base?: string;
  readonly compile?: CompileJavaScript;
  readonly sandbox?: SandboxTable;
  /** Python packages that scripts may use beside the standard library. */
  readonly packages?: PythonPackages | null;
  /** What the outcome is for; default: `bundle`. For a `report` packages are not compiled: the bundle is not complete then. */
  readonly purpose?: "bundle" | "report";
  readonly limits?: SkillLimits;
  /** What an earlier pack with the same options left, to be quick; never changes a result. */
  readonly memory?: PackMemory;
  readonly signal?: AbortSignal;
  /** Called with the number of skills done. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** One layer's bundle in memory. */
export interface PackedLayer {
  readonly name: string;
  /** The bundle: the digest of its index. */
  readonly digest: Digest;
  readonly index: Uint8Array;
  /** Files, records and compiled scripts; identical ones once. */
  readonly blobs: BlobMap;
  /** How many skills are served. */
  readonly skills: number;
}

/** What `check --json` prints of one skill. */
export interface SkillReport {
  readonly name: string | null;
  /** Relative to the base, with `/`. */
  readonly path: string;
  readonly layer: string;
  readonly ok: boolean;
  /** Only for one that another skill of its layer keeps from being served. */
  readonly served?: false;
  readonly diagnostics: readonly Diagnostic[];
}

/** The outcome of packing. */
export interface Packed {
  /** Over all layers. */
  readonly digest: Digest;
  readonly layers: readonly PackedLayer[];
  /** Every skill that was found, in path order. */
  readonly skills: readonly SkillReport[];
  /** What belongs to no skill; `file` is relative to the base. */
  readonly diagnostics: readonly Diagnostic[];
}

/** After so many skills other work gets its turn. */
const BREATH = 32;

/** Packs skills. Throws `directory-missing`; whatever is wrong with skills is reported. */
export async function packSkills(request: PackRequest, options: PackOptions = {}): Promise<Packed> {
  const layers = "layers" in request ? request.layers : [{ name: PLATFORM_LAYER, roots: request.roots }];
  const opened = layers.map(({ name, roots }) => ({ name, roots: openRoots(roots) }));
  const platform = opened.filter(({ name }) => name === PLATFORM_LAYER).flatMap(({ roots }) => roots);

  const packed: Awaited<ReturnType<typeof packLayer>>[] = [];
  for (const { name, roots } of opened) {
    // What all may see, a tenant may link to; never another tenant's directory.
    packed.push(await packLayer(name, roots, new Territory([...roots, ...platform]), options));
  }
  const skills = packed.flatMap(({ reports }) => reports).sort((a, b) => comparePaths(a.path, b.path));
  const base = options.base ?? process.cwd();
  const diagnostics = packed.flatMap((part) => part.diagnostics).map((problem) => shown(problem, base));
  const bundles = packed.map(({ layer }) => layer);
  options.memory?.keepOnly(new Set(packed.flatMap(({ reals }) => reals)));
  return {
    digest: digestOfLayers(bundles),
    layers: bundles,
    skills,
    diagnostics: skills.length > 0 ? diagnostics : [noSkills(layers), ...diagnostics],
  };
}

/** What became of one skill. */
interface Outcome {
  readonly report: SkillReport;
  /** Null when the skill is not served. */
  readonly packed: PackedSkill | null;
}

async function packLayer(name: string, roots: readonly Root[], territory: Territory, options: PackOptions) {
  const search = findSkills(roots, territory);
  const ordered = options.precedence === "roots" ? byRoot(search.skills, roots) : search.skills;
  const packer = new LayerPacker(name, territory, options);
  const first = await mapSome(ordered, async (found, at) => {
    const outcome = await packer.pack(found);
    options.onProgress?.(at + 1, ordered.length);
    if (at % BREATH === BREATH - 1) {
      await setImmediate();
      options.signal?.throwIfAborted();
    }
    return outcome;
  });
  const outcomes = await packer.withFaults(ordered, first);

  const blobs = new BlobMap();
  const served = outcomes.flatMap(({ packed }) => packed ?? []);
  for (const packed of served) {
    for (const [digest, source] of packed.blobs.sources()) {
      blobs.add(digest, source);
    }
  }
  const entries = inIndexOrder(served.map(({ entry }) => entry));
  const found = searchBlob(entries);
  if (found !== null) {
    blobs.addBytes(found.digest, found.bytes);
  }
  const index = encodeIndex(entries, found?.digest);
  const layer: PackedLayer = { name, digest: sha256(index), index, blobs, skills: served.length };
  const reals = ordered.map(({ real }) => real);
  return { layer, reports: outcomes.map(({ report }) => report), reals, diagnostics: search.diagnostics };
}

/** Skills by the order of their roots, those of one root as they were. */
function byRoot(skills: readonly FoundSkill[], roots: readonly Root[]): readonly FoundSkill[] {
  return skills.toSorted((a, b) => roots.indexOf(a.root) - roots.indexOf(b.root));
}

/** A skill that was read and checked. */
interface Looked {
  readonly input: SkillInput;
  readonly remembered: Remembered;
  /** What is wrong with its Python scripts, by path. */
  readonly faults?: ReadonlyMap<string, PythonFault> | undefined;
}

/** Packs the skills of one layer in the order it is given them: the first of a name is served, those after it are duplicates. */
class LayerPacker {
  readonly #layer: string;
  readonly #territory: Territory;
  readonly #options: PackOptions;
  readonly #firsts = new Map<string, FoundSkill>();
  readonly #python = new PythonSyntax<FoundSkill>();

  constructor(layer: string, territory: Territory, options: PackOptions) {
    this.#layer = layer;
    this.#territory = territory;
    this.#options = options;
  }

  /** Reads and checks at once, so that names are settled in order; only then waits for the compiler. */
  async pack(found: FoundSkill): Promise<Outcome> {
    const { input, remembered } = this.#look(found);
    const { name, ok } = remembered.verdict;
    if (ok && name !== null && !this.#firsts.has(name)) {
      this.#firsts.set(name, found);
    }
    if (remembered.packed === null) {
      for (const { path, runtime, runnable } of remembered.checked().scripts) {
        const bytes = runtime === "python" && runnable ? input.files.get(path)?.bytes : undefined;
        if (bytes !== undefined) {
          this.#python.add(found, { path, bytes });
        }
      }
    }
    return this.#write(found, { input, remembered });
  }

  /** The outcomes again, with what is wrong with Python scripts: one interpreter looks at those of many skills, and few have faults. */
  async withFaults(skills: readonly FoundSkill[], outcomes: readonly Outcome[]): Promise<readonly Outcome[]> {
    const faults = await this.#python.faults();
    return Promise.all(
      skills.map((found, at) => {
        const own = faults.get(found);
        const outcome = outcomes[at];
        if (own === undefined && outcome !== undefined) {
          return outcome;
        }
        const { input, remembered } = this.#look(found);
        remembered.packed = null;
        return this.#write(found, { input, remembered, faults: own });
      }),
    );
  }

  #look(found: FoundSkill): Looked {
    const { sandbox = SANDBOX_TABLE, limits = DEFAULT_LIMITS, packages = null, memory: kept } = this.#options;
    const input = readSkill(found, this.#territory, limits, kept?.files);
    // No digest stands for what lies in node_modules: such a skill is compiled each time.
    const memory = hasNpm(input) ? undefined : kept;
    const check = () => checkSkill(input, { sandbox: withModules(sandbox, packages), limits });
    const remembered = memory?.recall(found.real, input, { packages: packages?.digest ?? null, check }) ?? fresh(check);
    return { input, remembered };
  }

  async #write(found: FoundSkill, { input, remembered, faults }: Looked): Promise<Outcome> {
    const { compile = compileJavaScript, packages = null, purpose = "bundle" } = this.#options;
    const npm = hasNpm(input) ? new NpmPackages(found.real) : null;
    const compilers: Compilers = {
      javaScript: (source) => compile({ ...source, npm }),
      faults: faults ?? new Map(),
      packages: purpose === "bundle" ? packages : null,
    };
    const { verdict } = remembered;
    const first = verdict.name === null ? undefined : this.#firsts.get(verdict.name);
    if (!verdict.ok || first !== found) {
      const more = verdict.ok && first ? [duplicate(verdict.name, first, found)] : [];
      const problems = remembered.packed?.diagnostics ?? (await problemsOf(remembered.checked(), input, compilers));
      return { report: this.#report(verdict, found, [...more, ...problems]), packed: null };
    }
    const packed = remembered.packed ?? (await packSkill(packable(remembered.checked(), input), compilers));
    remembered.packed = packed;
    return { report: this.#report(verdict, found, packed.diagnostics), packed };
  }

  #report({ name, ok, diagnostics }: Verdict, found: FoundSkill, more: readonly Diagnostic[]): SkillReport {
    return {
      name,
      path: shownPath(this.#options.base ?? process.cwd(), found.path),
      layer: this.#layer,
      ok,
      ...(ok && name !== null && this.#firsts.get(name) !== found ? { served: false as const } : {}),
      diagnostics: [...diagnostics, ...more].sort(compareDiagnostics),
    };
  }
}

/** What is wrong with the scripts of a skill that is not served: its author hears of everything in one pass. */
async function problemsOf(
  { scripts }: CheckedSkill,
  input: SkillInput,
  compilers: Compilers,
): Promise<readonly Diagnostic[]> {
  if (scripts.length === 0) {
    return [];
  }
  const files = new Map([...input.files].map(([path, { bytes }]) => [path, bytes]));
  return (await compileScripts(scripts, files, compilers)).diagnostics;
}

function hasNpm({ npm }: SkillInput): boolean {
  return npm !== undefined && npm.size > 0;
}

function packable({ skill, portable }: CheckedSkill, input: SkillInput): PackableSkill {
  if (skill === null) {
    throw new RangeError(`"${input.directory}" is left out: it cannot be packed`);
  }
  return { skill, portable, input };
}

function withModules(sandbox: SandboxTable, packages: PythonPackages | null): SandboxTable {
  const modules = packages?.modules ?? new Set();
  return modules.size === 0 ? sandbox : { ...sandbox, pythonModules: new Set([...sandbox.pythonModules, ...modules]) };
}
