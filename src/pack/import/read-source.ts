/** Owns what `import` takes for a source: a directory, a git checkout, an archive, a site. Reads all of it, writes nothing that stays. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Diagnostic } from "../../model/diagnostics.ts";
import { SkillsError } from "../../model/errors.ts";
import { entryPath } from "../archive/entry.ts";
import { ARCHIVE_LIMITS, corrupt, tooLarge } from "../archive/limits.ts";
import { openArchive } from "../archive/open-archive.ts";
import { fetchSite } from "./fetch-site.ts";
import { readSite } from "./read-site.ts";
import { type FoundImport, readTree, type TreeReading } from "./read-tree.ts";

/** What a source holds. */
export interface SourceReading {
  readonly skills: readonly FoundImport[];
  /** Skills that a site offers and that could not be had. */
  readonly failed: readonly { readonly name: string; readonly error: SkillsError }[];
  readonly diagnostics: readonly Diagnostic[];
}

const ARCHIVE_NAME = /\.(?:zip|skill|tar|tgz|tar\.gz)$/i;

/** Reads a source. Throws `skill-md-missing` when it has no skill, and the errors of archives and sites. */
export async function readSource(source: string, cwd: string, signal: AbortSignal): Promise<SourceReading> {
  const reading = await readAny(source, cwd, signal);
  if (reading.skills.length === 0 && reading.failed.length === 0) {
    throw new SkillsError("skill-md-missing", `There is no SKILL.md in "${source}"`, {
      hint: "a skill is a directory with a file called SKILL.md",
    });
  }
  return reading;
}

async function readAny(source: string, cwd: string, signal: AbortSignal): Promise<SourceReading> {
  if (/^https?:\/\//i.test(source)) {
    return readAddress(new URL(source), signal);
  }
  const path = resolve(cwd, source);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    const isRemote = /^(?:git@|ssh:|git:)/.test(source);
    const hint = isRemote ? "clone the repository and import its directory" : "name a directory, an archive or a site";
    throw new SkillsError("directory-missing", `Cannot import "${source}": there is no such file or directory`, {
      hint,
    });
  }
  if (stats.isDirectory()) {
    return ofTree(readTree(path, basename(path)));
  }
  if (stats.size > ARCHIVE_LIMITS.archiveBytes) {
    throw tooLarge(ARCHIVE_LIMITS.archiveBytes);
  }
  return ofTree(await readArchive(readFileSync(path), basename(path)));
}

async function readAddress(url: URL, signal: AbortSignal): Promise<SourceReading> {
  if (ARCHIVE_NAME.test(url.pathname)) {
    const bytes = await fetchSite(url, ARCHIVE_LIMITS.archiveBytes, signal);
    if (bytes === null) {
      throw new SkillsError("source-invalid", `"${url.href}" is not there`);
    }
    return ofTree(await readArchive(bytes, basename(decodeURIComponent(url.pathname))));
  }
  const offered = await readSite(url, signal);
  const failed = offered.flatMap((skill) => ("error" in skill ? [skill] : []));
  const read = offered.flatMap((skill) => ("files" in skill ? [staged(skill.files, skill.name)] : []));
  return {
    skills: read.flatMap(({ skills }) => skills),
    failed,
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  };
}

async function readArchive(bytes: Uint8Array, filename: string): Promise<TreeReading> {
  return staged(await openArchive(bytes), filename.replace(ARCHIVE_NAME, ""));
}

function ofTree({ skills, diagnostics }: TreeReading): SourceReading {
  return { skills, failed: [], diagnostics };
}

/** Reads files as a tree, by way of a directory of the system's that is gone again afterwards. */
function staged(files: ReadonlyMap<string, Uint8Array>, label: string): TreeReading {
  const stage = mkdtempSync(join(tmpdir(), "edge-skills-import-"));
  try {
    const top = join(stage, "t");
    mkdirSync(top);
    writeFiles(files, top);
    const { skills, diagnostics } = readTree(top, label);
    return { skills, diagnostics: diagnostics.map((problem) => withoutStage(problem, top)) };
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function writeFiles(files: ReadonlyMap<string, Uint8Array>, top: string): void {
  for (const [path, bytes] of files) {
    const file = join(top, entryPath(path));
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes, { flag: "wx" });
    } catch (error) {
      // Two names that this system takes for one, a file that is a directory as well, a name that it does not take.
      throw corrupt(`${JSON.stringify(path)} cannot be unpacked here`, error);
    }
  }
}

/** Nobody can do anything with the path of a directory that is gone. */
function withoutStage(problem: Diagnostic, top: string): Diagnostic {
  const cut = (text: string) => text.replaceAll(`${top}/`, "");
  const { file, message } = problem;
  return { ...problem, message: cut(message), ...(file === undefined ? {} : { file: cut(file) }) };
}
