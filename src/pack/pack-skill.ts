/** Owns turning one checked skill into blobs: its files, its compiled scripts, its record. Never decides whether it is served. */
import { type IndexEntry, indexEntry } from "../bundle/index-format.ts";
import { encodeRecord } from "../bundle/record-format.ts";
import type { SkillInput } from "../check/check-skill.ts";
import { mediaTypeOf } from "../check/media-type.ts";
import { notRunnable } from "../check/scripts.ts";
import { decodeText } from "../check/text.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { Digest } from "../model/digest.ts";
import type { SkillFile, SkillRecord, SkillScript } from "../model/record.ts";
import { BlobMap } from "./blob-map.ts";
import { sha256 } from "./hash.ts";
import type { JavaScriptSource } from "./javascript/modules.ts";
import type { PythonPackages } from "./python/packages.ts";
import type { PythonFault } from "./python/syntax.ts";
import { shellFault } from "./shell-syntax.ts";

/** Compiles one JavaScript or TypeScript file of a skill to what the sandbox runs. */
export type CompileJavaScript = (
  source: JavaScriptSource,
) => Promise<
  | { readonly code: string }
  | { readonly error: { readonly message: string; readonly file?: string; readonly line?: number } }
>;

/** What a skill is packed with. */
export interface Compilers {
  readonly javaScript: CompileJavaScript;
  /** What is wrong with its Python scripts, by path. */
  readonly faults: ReadonlyMap<string, PythonFault>;
  /** Null for none. */
  readonly packages: PythonPackages | null;
}

/** A skill as it goes into a bundle. */
export interface PackedSkill {
  readonly entry: IndexEntry;
  readonly blobs: BlobMap;
  /** What compiling found. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A skill that was checked and is served. */
export interface PackableSkill {
  readonly skill: SkillRecord;
  /** Its SKILL.md in the form that every host takes, where that is not the original. */
  readonly portable: string | null;
  readonly input: SkillInput;
}

/** Compiles a skill's scripts and writes its record. */
export async function packSkill({ skill, portable, input }: PackableSkill, compilers: Compilers): Promise<PackedSkill> {
  const blobs = new BlobMap();
  const files = new Map<string, Uint8Array>();
  for (const [path, file] of input.files) {
    blobs.add(file.digest, file);
    files.set(path, file.bytes);
  }
  const { scripts, made, diagnostics } = await compileScripts(skill.scripts, files, compilers);
  for (const [digest, bytes] of made) {
    blobs.addBytes(digest, bytes);
  }
  const record = {
    ...skill,
    ...(portable === null ? {} : { portable: keepPortable(portable, blobs) }),
    scripts,
    ...(await keepPackages(compilers.packages, files, blobs)),
  };
  const bytes = encodeRecord(record, (file) => decodeText(blobs.get(file.digest) ?? new Uint8Array()) ?? "");
  const digest = sha256(bytes);
  blobs.addBytes(digest, bytes);
  return { entry: indexEntry(record, digest), blobs, diagnostics };
}

/** Scripts as they go into a record, and what was made of them. */
export interface CompiledScripts {
  readonly scripts: readonly SkillScript[];
  readonly made: ReadonlyMap<Digest, Uint8Array>;
  /** What is wrong with those that do not compile. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Compiles the scripts that can run. */
export async function compileScripts(
  given: readonly SkillScript[],
  files: ReadonlyMap<string, Uint8Array>,
  { javaScript, faults }: Pick<Compilers, "javaScript" | "faults">,
): Promise<CompiledScripts> {
  const made = new Map<Digest, Uint8Array>();
  const diagnostics: Diagnostic[] = [];
  const scripts: SkillScript[] = [];
  for (const script of given) {
    const compiled = script.runnable ? await compile(script, { files, javaScript, faults }) : null;
    if (compiled === null) {
      scripts.push(script);
    } else if ("code" in compiled) {
      const bytes = new TextEncoder().encode(compiled.code);
      const digest = sha256(bytes);
      made.set(digest, bytes);
      scripts.push({ ...script, compiled: digest });
    } else {
      const { message, file = script.path, line = null } = compiled.error;
      const reason = `it does not compile: ${message} (${file}${line === null ? "" : `, line ${line}`})`;
      // What esbuild names and is no file of the skill is its own.
      const place = files.has(file) ? { file, line } : { file: script.path, line: null };
      diagnostics.push(
        notRunnable(script.path, { reason, ...place, hint: "mend the line; it is listed all the same" }),
      );
      scripts.push({ ...script, runnable: false, reason });
    }
  }
  return { scripts, made, diagnostics };
}

/** What the sandbox runs in place of a script, or why that cannot be made; null for a script that runs as it is. */
async function compile(
  { path, runtime }: SkillScript,
  { files, javaScript, faults }: Omit<Compilers, "packages"> & { readonly files: ReadonlyMap<string, Uint8Array> },
): Promise<Awaited<ReturnType<CompileJavaScript>> | null> {
  const bytes = files.get(path);
  const fault = runtime === "bash" && bytes !== undefined ? await shellFault(bytes) : faults.get(path);
  if (fault) {
    const { message, line } = fault;
    return { error: { message, ...(line === null ? {} : { line }) } };
  }
  return runtime === "javascript" ? await javaScript({ path, files }) : null;
}

/** The packages that a skill's files use, as blobs like any other: identical ones are stored once. */
async function keepPackages(
  packages: PythonPackages | null,
  files: ReadonlyMap<string, Uint8Array>,
  blobs: BlobMap,
): Promise<Pick<SkillRecord, "packages">> {
  const used =
    packages === null ? [] : await Promise.all(packages.needed(files).map((wheel) => packages.layerOf(wheel)));
  for (const [digest, bytes] of used) {
    blobs.addBytes(digest, bytes);
  }
  return used.length === 0 ? {} : { packages: used.map(([digest]) => digest) };
}

function keepPortable(text: string, blobs: BlobMap): SkillFile {
  const bytes = new TextEncoder().encode(text);
  const digest = sha256(bytes);
  blobs.addBytes(digest, bytes);
  return { path: "SKILL.md", size: bytes.byteLength, digest, media_type: mediaTypeOf("SKILL.md", true), text: true };
}
