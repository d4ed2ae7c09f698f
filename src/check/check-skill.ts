/**
 * Owns the check of one skill: from its files to everything that is wrong with it and, if it can be served, its record.
 * Pure: reads no disk and no clock, so pack and the edge (skills put at run time) judge alike. CONTRACT.md §2.
 */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import type { Digest } from "../model/digest.ts";
import { comparePaths, type SkillFile, type SkillRecord, type SkillScript } from "../model/record.ts";
import { readFields } from "./fields.ts";
import { checkLimits, type SkillLimits } from "./limits.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { mediaTypeOf } from "./media-type.ts";
import { checkPaths, findManifest } from "./paths.ts";
import { portableManifest } from "./portable-manifest.ts";
import { checkReferences } from "./references.ts";
import type { SandboxTable } from "./sandbox-needs.ts";
import { findScripts } from "./scripts.ts";
import { secretContent, secretName } from "./secrets.ts";
import { settleName } from "./skill-name.ts";
import { decodeText, searchableText } from "./text.ts";

/** A skill's files as they were found. */
export interface SkillInput {
  /** Name of the skill's directory, no path. */
  readonly directory: string;
  /** All files by their path relative to the skill, SKILL.md among them. */
  readonly files: ReadonlyMap<string, InputFile>;
  /** Over paths and bytes; see `skillDigestText`. */
  readonly digest: Digest;
  /** Names of npm packages that lie beside the files and are compiled into scripts; default: none. */
  readonly npm?: ReadonlySet<string>;
  /** What was already wrong when the files were read. */
  readonly found?: readonly Diagnostic[];
}

/** One file of a skill. */
export interface InputFile {
  /** Bytes. */
  readonly size: number;
  /** May still have to be read. */
  readonly bytes: Uint8Array;
  readonly digest: Digest;
}

/** What a check depends on beside the files. */
export interface CheckOptions {
  /** What the sandbox provides to scripts. */
  readonly sandbox: SandboxTable;
  readonly limits?: SkillLimits;
}

/** The outcome of a check. */
export interface CheckedSkill {
  /** Null when there is an error: the skill is left out. */
  readonly skill: SkillRecord | null;
  /** SKILL.md in the form that every host takes; null when the original is that already, or when there is no such form. */
  readonly portable: string | null;
  /** The served name, also of a skill that is left out; null when none could be read. */
  readonly name: string | null;
  /** Also those of a skill that is left out: they are compiled all the same, to tell what is wrong with them. */
  readonly scripts: readonly SkillScript[];
  /** Everything that is to be said of the skill, sorted by file and line. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Checks one skill. All problems come in one pass; nothing throws, whatever the files hold. */
export function checkSkill(input: SkillInput, options: CheckOptions): CheckedSkill {
  const paths = [...input.files.keys()].sort(comparePaths);
  const manifestPath = findManifest(paths);
  const contents = readContents(input.files);
  const seen = [
    ...(input.found ?? []),
    ...checkPaths(paths, manifestPath),
    ...checkLimits(sizes(input.files), options.limits).filter((limit) => !wasFound(limit, input)),
    ...contents.secrets,
  ];
  const otherPaths = paths.filter((path) => path !== manifestPath);
  const readText = (path: string) => (contents.isText.get(path) ? decodeText(bytesOf(input, path)) : null);
  const ownFiles = { paths: new Set(otherPaths), readText, npm: input.npm ?? new Set<string>() };
  const { scripts, diagnostics: scriptDiagnostics } = findScripts(ownFiles, options.sandbox);
  const leftOut = (found: readonly Diagnostic[]) => outcome({ skill: null, name: null, scripts }, found);
  const manifestFile = manifestPath === null ? undefined : input.files.get(manifestPath);
  if (manifestPath === null || manifestFile === undefined) {
    return leftOut([...seen, ...scriptDiagnostics, ...(hasError(seen) ? [] : [noManifest()])]);
  }
  const { manifest, diagnostics } = readManifest(manifestFile.bytes, manifestPath);
  if (manifest === null) {
    return leftOut([...seen, ...scriptDiagnostics, ...diagnostics]);
  }
  const { name, aliases, diagnostics: nameDiagnostics } = settleName(manifest, input.directory);
  const fields = readFields(manifest);
  const all = [
    ...seen,
    ...diagnostics,
    ...nameDiagnostics,
    ...fields.diagnostics,
    ...checkBody(manifest),
    ...checkReferences(manifest, paths),
    ...scriptDiagnostics,
  ];
  const fileOf = (path: string): SkillFile => describeFile(path, input.files, contents.isText.get(path) ?? false);
  const skill: SkillRecord | null =
    name === null || hasError(all)
      ? null
      : {
          name,
          aliases,
          digest: input.digest,
          description: fields.description,
          frontmatter: fields.frontmatter,
          metadata: fields.metadata,
          allowed_tools: fields.allowedTools,
          body: manifest.body,
          manifest: fileOf(manifestPath),
          files: otherPaths.map(fileOf),
          scripts,
        };
  const portable =
    skill === null ? null : portableManifest({ name: skill.name, manifest, bytes: manifestFile.bytes, fields });
  return { ...outcome({ skill, name, scripts }, all), portable };
}

/** Tells whether a skill with these diagnostics is left out. */
export function hasError(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some(({ severity }) => severity === "error");
}

/** Order of diagnostics within a skill: by file, line, column, then code. */
export function compareDiagnostics(a: Diagnostic, b: Diagnostic): number {
  return (
    comparePaths(a.file ?? "", b.file ?? "") ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    comparePaths(a.code, b.code) ||
    comparePaths(a.message, b.message)
  );
}

function outcome(
  facts: Pick<CheckedSkill, "skill" | "name" | "scripts">,
  diagnostics: readonly Diagnostic[],
): CheckedSkill {
  return { ...facts, portable: null, diagnostics: diagnostics.toSorted(compareDiagnostics) };
}

/** Whoever read the files may have stopped at a limit, and knows better how far beyond it they go. */
function wasFound({ code, file }: Diagnostic, { found = [] }: SkillInput): boolean {
  return found.some((other) => other.code === code && other.file === file);
}

function noManifest(): Diagnostic {
  return diagnostic("file-unreadable", "There is no SKILL.md that can be read", { hint: "add a file called SKILL.md" });
}

/** Which files are text, and which hold secrets. */
function readContents(files: SkillInput["files"]): { isText: ReadonlyMap<string, boolean>; secrets: Diagnostic[] } {
  const isText = new Map<string, boolean>();
  const secrets: Diagnostic[] = [];
  for (const [path, { bytes }] of files) {
    const text = searchableText(bytes);
    isText.set(path, text.isText);
    const kind = secretName(path) ?? secretContent(path, text.content);
    if (kind !== null) {
      secrets.push(secretFile(path, kind));
    }
  }
  return { isText, secrets };
}

/** The diagnostic for a file that must never be packed. */
export function secretFile(file: string, kind: string): Diagnostic {
  const hint = "remove it or add it to .gitignore; a sample may be called .env.example";
  return diagnostic("secret-file", `"${file}" is ${kind}; whoever may read the skill could read it`, { file, hint });
}

function checkBody({ body, bodyLine, file }: Manifest): Diagnostic[] {
  const lines = body.trimEnd().split("\n").length;
  const tokens = estimateTokens(body);
  if (lines <= 500 && tokens <= 5_000) {
    return [];
  }
  const message = `The body has ${lines} lines and about ${tokens} tokens; 500 lines and 5000 tokens are recommended`;
  return [
    diagnostic("body-long", message, { file, line: bodyLine, hint: "move details into files that are read on demand" }),
  ];
}

/** About four ASCII characters or one other sign are a token. */
function estimateTokens(text: string): number {
  const wide = text.match(/[^\0-\u{2ff}]/gu)?.length ?? 0;
  return Math.round((text.length - wide) / 4 + wide);
}

function describeFile(path: string, files: SkillInput["files"], text: boolean): SkillFile {
  const file = files.get(path);
  if (!file) {
    throw new RangeError(`no file "${path}"`);
  }
  return { path, size: file.size, digest: file.digest, media_type: mediaTypeOf(path, text), text };
}

function bytesOf(input: SkillInput, path: string): Uint8Array {
  return input.files.get(path)?.bytes ?? new Uint8Array();
}

function* sizes(files: SkillInput["files"]): Iterable<{ path: string; size: number }> {
  for (const [path, { size }] of files) {
    yield { path, size };
  }
}
