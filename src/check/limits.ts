/** Owns how large a skill may be: what every MCP host must take, and what is stored at all. Never reads a file. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";

/** Files and bytes of one skill. */
export interface SkillLimits {
  /** Beyond these a skill is served with a warning. */
  readonly hosts: { readonly files: number; readonly skillBytes: number; readonly fileBytes: number };
  /** Beyond these it is left out. */
  readonly storage: { readonly files: number; readonly skillBytes: number; readonly fileBytes: number };
}

const MIB = 1024 * 1024;

/** MCP hosts must take 512 files and 16 MiB; a value in KV ends at 25 MiB; what an archive may hold is what is stored. */
export const DEFAULT_LIMITS: SkillLimits = {
  hosts: { files: 512, skillBytes: 16 * MIB, fileBytes: 25 * MIB },
  storage: { files: 10_000, skillBytes: 100 * MIB, fileBytes: 100 * MIB },
};

/** Checks number and size of a skill's files, SKILL.md among them. */
export function checkLimits(
  files: Iterable<{ readonly path: string; readonly size: number }>,
  limits: SkillLimits = DEFAULT_LIMITS,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  let count = 0;
  let bytes = 0;
  for (const { path, size } of files) {
    count++;
    bytes += size;
    if (size > limits.hosts.fileBytes) {
      diagnostics.push(fileTooLarge(path, size, limits));
    }
  }
  if (count > limits.hosts.files) {
    diagnostics.push(tooManyFiles(count, limits));
  }
  if (bytes > limits.hosts.skillBytes) {
    const isError = bytes > limits.storage.skillBytes;
    const limit = isError ? limits.storage.skillBytes : limits.hosts.skillBytes;
    const message = `The skill has ${megabytes(bytes)}; ${isError ? "at most" : "hosts need take only"} ${megabytes(limit)}`;
    const hint = "leave out what no one reads, or split the skill";
    diagnostics.push(diagnostic("skill-too-large", message, { severity: isError ? "error" : "warning", hint }));
  }
  return diagnostics;
}

/** The diagnostic for a file beyond the limits. */
export function fileTooLarge(path: string, size: number, limits: SkillLimits = DEFAULT_LIMITS): Diagnostic {
  const isError = size > limits.storage.fileBytes;
  const message = isError
    ? `"${path}" has ${megabytes(size)}; at most ${megabytes(limits.storage.fileBytes)} are stored`
    : `"${path}" has ${megabytes(size)}; files above ${megabytes(limits.hosts.fileBytes)} are stored only in R2`;
  const hint = isError ? "leave the file out, or split it" : "bind R2, or make the file smaller";
  return diagnostic("file-too-large", message, { file: path, severity: isError ? "error" : "warning", hint });
}

/** The diagnostic for a number of files beyond the limits; `count` may be where counting stopped. */
export function tooManyFiles(count: number, limits: SkillLimits = DEFAULT_LIMITS): Diagnostic {
  const isError = count > limits.storage.files;
  const message = isError
    ? `The skill has more than ${limits.storage.files} files`
    : `The skill has ${count} files; hosts need take only ${limits.hosts.files}`;
  const hint = "pack what belongs together into one file, or leave out what no one reads";
  return diagnostic("too-many-files", message, { severity: isError ? "error" : "warning", hint });
}

function megabytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
