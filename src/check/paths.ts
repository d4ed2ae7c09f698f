/** Owns what is wrong with the paths of a skill's files: none may leave it, all should unpack on every system. Never opens a file. */
import { type Diagnostic, diagnostic } from "../model/diagnostics.ts";
import { baseName, directoryOf, foldPath, isManifestName, isSafePath, portabilityProblem } from "../model/path.ts";

/** The SKILL.md among a skill's paths: the one spelt so, else the first in another case; null when there is none. */
export function findManifest(paths: readonly string[]): string | null {
  return paths.includes("SKILL.md") ? "SKILL.md" : (paths.find(isManifestName) ?? null);
}

/** Checks all paths of a skill, its SKILL.md's `manifest` among them; they are given in path order. */
export function checkPaths(paths: readonly string[], manifest: string | null): Diagnostic[] {
  const collisions = caseCollisions(paths);
  const oddCase =
    manifest !== null && manifest !== "SKILL.md" && !collisions.some(({ file }) => isManifestName(file ?? ""));
  return [
    ...(oddCase ? [manifestCase(manifest)] : []),
    ...collisions,
    ...paths.flatMap((path) => checkPath(path) ?? []),
  ];
}

function manifestCase(file: string): Diagnostic {
  return diagnostic("skill-md-case", `The file is called "${file}", not "SKILL.md"`, {
    file,
    hint: "rename it to SKILL.md",
  });
}

/** Paths that are one file where case does not count; directories that differ only in case hold such paths or are merged there. */
function caseCollisions(paths: readonly string[]): Diagnostic[] {
  const spellings = new Map<string, string>();
  const diagnostics: Diagnostic[] = [];
  for (const path of paths) {
    const folded = foldPath(path);
    const other = spellings.get(folded);
    if (other === undefined) {
      spellings.set(folded, path);
    } else {
      const message = `"${other}" and "${path}" differ only in case; on most laptops they are one file`;
      diagnostics.push(diagnostic("path-case-collision", message, { file: path, hint: "rename one of them" }));
    }
  }
  return diagnostics;
}

function checkPath(file: string): Diagnostic | null {
  if (!isSafePath(file)) {
    const message = `${JSON.stringify(file)} is no path below the skill`;
    return diagnostic("path-not-portable", message, {
      severity: "error",
      hint: "give a relative path without `.` and `..`",
    });
  }
  if (directoryOf(file) !== "" && isManifestName(baseName(file))) {
    const message = `"${file}" is a file of this skill, not a skill of its own`;
    return diagnostic("nested-skill", message, { file, hint: "move it out of this skill to have it served" });
  }
  const problem = portabilityProblem(file);
  return problem === null
    ? null
    : diagnostic("path-not-portable", `${JSON.stringify(file)} cannot be unpacked on every system: ${problem}`, {
        file,
        hint: "rename the file",
      });
}
