/** Owns reading one wheel: what it is called, what it lets scripts import, its pure-Python part. Never installs, never runs any of it. */
import { unzipSync } from "fflate";
import { packageName } from "../../check/python-requirements.ts";
import type { Digest } from "../../model/digest.ts";
import { SkillsError } from "../../model/errors.ts";
import { isSafePath } from "../../model/path.ts";
import { sha256 } from "../hash.ts";
import { importedAnywhere } from "./imports.ts";
import { appliesToSandbox, requirementsIn } from "./requirement.ts";

/** A wheel of a package. */
export interface Wheel {
  /** The package, in the spelling of PEP 503. */
  readonly name: string;
  readonly version: string;
  /** The file's own name. */
  readonly file: string;
  /** Of the file. */
  readonly digest: Digest;
  /** What can be imported, by the first part of the name. */
  readonly modules: readonly string[];
  /** Whether it has parts for one kind of processor, which are left out. */
  readonly hasCompiledParts: boolean;
  /** Its pure-Python part by paths below site-packages: sources, data, and what `importlib.metadata` asks for. */
  files(): ReadonlyMap<string, Uint8Array>;
}

const WHEEL_NAME = /^(?<name>[\w.]+)-(?<version>[\w.!+]+)(?:-\d[\w.]*)?-[\w.]+-[\w.]+-[\w.]+\.whl$/;
const COMPILED = /\.(?:so|pyd|dylib|dll)(?:\.[\d.]+)?$/;
/** A module that is compiled for one kind of processor, and its path without the ending. */
const EXTENSION_MODULE = /^((?:\w+\/)*\w+)(?:\.[\w-]+)?\.(?:so|pyd)$/;
const LEFT_OUT = /\.(?:pyc|pyi|c|h)$|(?:^|\/)(?:__pycache__|tests?|testing_data)\/|\/RECORD$|^bin\/|\.pth$/;
/** What is installed on Python's path, though it lies in a directory of its own. */
const MOVED = /^[^/]+\.data\/(?:purelib|platlib)\//;

/** What a wheel may unpack to; a few kB can promise terabytes. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 50_000;

/** Package and version by the name of a wheel; null for what is no name of a wheel. */
export function wheelName(file: string): { readonly name: string; readonly version: string } | null {
  const { name, version } = WHEEL_NAME.exec(file)?.groups ?? {};
  return name === undefined || version === undefined ? null : { name: packageName(name), version };
}

/** Opens a wheel. Throws `packages-invalid` for what is none. */
export function openWheel(file: string, bytes: Uint8Array): Wheel {
  const named = wheelName(file);
  if (named === null) {
    throw invalid(file, "its name is not that of a wheel (name-version-python-abi-platform.whl)");
  }
  const paths = unzip(file, bytes, () => false);
  const unsafe = paths.names.find((path) => !isSafePath(path.replace(/\/$/, "")));
  if (unsafe !== undefined) {
    throw invalid(file, `it holds the path ${JSON.stringify(unsafe)}`);
  }
  // Which of two a reader takes is the reader's own.
  if (new Set(paths.names).size < paths.names.length) {
    throw invalid(file, "it holds a path twice");
  }
  const kept = paths.names.map(placeOf).filter((path) => path !== null);
  let files: ReadonlyMap<string, Uint8Array> | null = null;
  return {
    ...named,
    file,
    digest: sha256(bytes),
    modules: modulesOf(kept),
    hasCompiledParts: paths.names.some((path) => COMPILED.test(path)),
    files() {
      if (files === null) {
        const sources = Object.entries(unzip(file, bytes, (path) => placeOf(path) !== null).contents);
        const placed = new Map(sources.map(([path, content]) => [placeOf(path) ?? path, content]));
        files = new Map([...placed, ...standIns(paths.names, placed)]);
      }
      return files;
    },
  };
}

/** Other packages that a wheel needs: those it states, and those whose modules it imports anywhere. `packageOf` names a module's package. */
export function neededBy(wheel: Wheel, packageOf: ReadonlyMap<string, string>): ReadonlySet<string> {
  const stated = requirementsIn(metadataOf(wheel)).filter((one) => appliesToSandbox(one));
  const needed = new Set(stated.map(({ name }) => name));
  for (const [path, bytes] of wheel.files()) {
    for (const module of path.endsWith(".py") ? importedAnywhere(new TextDecoder().decode(bytes)) : []) {
      needed.add(packageOf.get(module) ?? wheel.name);
    }
  }
  needed.delete(wheel.name);
  return needed;
}

/** What a wheel says of itself; empty when it says nothing. */
export function metadataOf(wheel: Wheel): string {
  const metadata = [...wheel.files()].find(([path]) => /^[^/]+\.dist-info\/METADATA$/.test(path))?.[1];
  return new TextDecoder().decode(metadata);
}

/** Where a file of a wheel lies below site-packages; null for what is left out. */
function placeOf(path: string): string | null {
  const place = path.replace(MOVED, "");
  return place.endsWith("/") || COMPILED.test(place) || LEFT_OUT.test(place) || place.includes(".data/") ? null : place;
}

/** What says why a compiled module is missing, in its place; nothing where the same module is there in Python too. */
function standIns(paths: readonly string[], placed: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> {
  const modules = paths.flatMap((path) => EXTENSION_MODULE.exec(path.replace(MOVED, ""))?.[1] ?? []);
  const missing = modules.filter((path) => !placed.has(`${path}.py`) && !placed.has(`${path}/__init__.py`));
  return new Map(
    missing.map((path) => {
      const name = path.replaceAll("/", ".");
      const words = `No module named '${name}': it is compiled, and the sandbox runs packages of pure Python only`;
      return [`${path}.py`, new TextEncoder().encode(`raise ModuleNotFoundError("${words}", name="${name}")\n`)];
    }),
  );
}

function modulesOf(paths: readonly string[]): string[] {
  const names = paths.flatMap((path) => /^(\w+)(?:\.py$|\/(?:.*\/)?\w+\.py$)/.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function unzip(file: string, bytes: Uint8Array, isWanted: (path: string) => boolean) {
  const names: string[] = [];
  let size = 0;
  try {
    const contents = unzipSync(bytes, {
      filter({ name, originalSize }) {
        names.push(name);
        size += originalSize;
        if (size > MAX_UNPACKED_BYTES || names.length > MAX_FILES) {
          throw new Error(`it unpacks to over ${MAX_UNPACKED_BYTES} bytes or ${MAX_FILES} files`);
        }
        return isWanted(name);
      },
    });
    return { names, contents };
  } catch (cause) {
    throw invalid(file, `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function invalid(file: string, problem: string, cause?: unknown): SkillsError {
  return new SkillsError("packages-invalid", `Cannot use the wheel "${file}": ${problem}`, {
    ...(cause === undefined ? {} : { cause }),
    hint: "download it again, or make it anew with edge-skills packages build",
  });
}
