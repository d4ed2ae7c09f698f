/** Owns turning one checked skill into blobs: its files, its compiled scripts, its record. Never decides whether it is served. */
import { type IndexEntry, indexEntry } from "../bundle/index-format.ts";
import { encodeRecord } from "../bundle/record-format.ts";
import type { SkillInput } from "../check/check-skill.ts";
import { mediaTypeOf } from "../check/media-type.ts";
import { notRunnable } from "../check/scripts.ts";
import { decodeText } from "../check/text.ts";
import type { Diagnostic } from "../model/diagnostics.ts";
import type { SkillFile, SkillRecord, SkillScript } from "../model/record.ts";
import { BlobMap } from "./blob-map.ts";
import { sha256 } from "./hash.ts";
import type { PythonPackages } from "./python/packages.ts";
import type { PythonFault } from "./python/syntax.ts";

/** Compiles one JavaScript or TypeScript file of a skill to what the sandbox runs. */
export type CompileJavaScript = (source: {
  readonly path: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}) => Promise<
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
export async function packSkill(
  { skill, portable, input }: PackableSkill,
  { javaScript, faults, packages }: Compilers,
): Promise<PackedSkill> {
  const blobs = new BlobMap();
  const files = new Map<string, Uint8Array>();
  for (const [path, file] of input.files) {
    blobs.add(file.digest, file);
    files.set(path, file.bytes);
  }
  const diagnostics: Diagnostic[] = [];
  const scripts: SkillScript[] = [];
  for (const script of skill.scripts) {
    const compiled = script.runnable ? await compile(script, { files, javaScript, faults }) : null;
    if (compiled === null) {
      scripts.push(script);
    } else if ("code" in compiled) {
      const bytes = new TextEncoder().encode(compiled.code);
      const digest = sha256(bytes);
      blobs.addBytes(digest, bytes);
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
  const record = {
    ...skill,
    ...(portable === null ? {} : { portable: keepPortable(portable, blobs) }),
    scripts,
    ...(await keepPackages(packages, files, blobs)),
  };
  const bytes = encodeRecord(record, (file) => decodeText(blobs.get(file.digest) ?? new Uint8Array()) ?? "");
  const digest = sha256(bytes);
  blobs.addBytes(digest, bytes);
  return { entry: indexEntry(record, digest), blobs, diagnostics };
}

/** What the sandbox runs in place of a script, or why that cannot be made; null for a script that runs as it is. */
async function compile(
  { path, runtime }: SkillScript,
  { files, javaScript, faults }: Omit<Compilers, "packages"> & { readonly files: ReadonlyMap<string, Uint8Array> },
): Promise<Awaited<ReturnType<CompileJavaScript>> | null> {
  const fault = runtime === "python" ? faults.get(path) : undefined;
  if (fault !== undefined) {
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
