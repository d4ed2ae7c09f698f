/** Reads the project's own source files and what each imports, types included. Never runs them. */
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";

/** The top of the repository. */
export const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));

/** A TypeScript file below `src`. */
export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The directory below `src`; the file's own name for one that stands there itself. */
  readonly room: string;
  /** What it imports, as written. */
  readonly imports: readonly string[];
}

/** What other tools made is not looked at. */
const GENERATED = /^src\/sandbox\/generated\//;

const FROM = /^(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"]+)"/gm;
const BARE = /^import\s*"([^"]+)"/gm;
const CALLED = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** All source files, in path order. */
export function sourceFiles(): SourceFile[] {
  return readdirSync(`${REPOSITORY}src`, { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts") && !GENERATED.test(path))
    .sort()
    .map((path) => {
      const text = readFileSync(REPOSITORY + path, "utf8");
      return { path, text, room: path.split("/")[1] ?? "", imports: importsOf(text) };
    });
}

function importsOf(text: string): string[] {
  const code = withoutComments(text);
  return [FROM, BARE, CALLED].flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1] ?? ""));
}

/** A file's text without its comments; what looks like one inside a string goes too. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(?<=^|\s)\/\/.*$/gm, "");
}

/** The path of an imported file of the project; null for packages and for what the platform brings. */
export function importedPath(file: SourceFile, specifier: string): string | null {
  return specifier.startsWith(".") ? posix.join(posix.dirname(file.path), specifier) : null;
}

/** The package that an import names, without the path inside it; null for files of the project. */
export function importedPackage(specifier: string): string | null {
  if (specifier.startsWith(".")) {
    return null;
  }
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
}
