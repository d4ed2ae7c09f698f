/** Owns the paths of files within a skill: which are safe, which every system can unpack. Never touches a disk. */

// Windows also takes the superscript digits for port numbers.
const DEVICE_NAME = /^(?:aux|con|nul|prn|(?:com|lpt)[1-9\u00b9\u00b2\u00b3])$/i;
const FORBIDDEN_SIGN = /[\\:*?"<>|\0-\x1f\x7f-\x9f]/;

/** Tells whether a path stays below the skill: relative, with `/`, no empty, `.` or `..` part, no NUL. */
export function isSafePath(path: string): boolean {
  return !path.includes("\0") && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/**
 * Why a path cannot travel: unpacked elsewhere it would be another file, or lie outside of the skill. Null when it can. One rule for what is
 * put at run time, and for archives that are made or read; a directory on a disk may hold such a file, which only warns.
 */
export function travelProblem(path: string): string | null {
  if (path.includes("\\")) {
    return "it holds a backslash, which is a slash elsewhere";
  }
  if (/^[A-Za-z]:/.test(path)) {
    return "it names a drive";
  }
  if (!path.isWellFormed()) {
    return "it holds half a character";
  }
  return isSafePath(path) ? null : "it is not inside the skill";
}

/** Why some system could not unpack a path; null when all can. */
export function portabilityProblem(path: string): string | null {
  const sign = FORBIDDEN_SIGN.exec(path);
  if (sign) {
    return `it holds ${JSON.stringify(sign[0])}`;
  }
  for (const part of path.split("/")) {
    if (part.endsWith(".") || part.endsWith(" ")) {
      return `"${part}" ends in a ${part.endsWith(".") ? "dot" : "blank"}`;
    }
    const stem = (part.split(".", 1)[0] ?? "").trimEnd();
    if (DEVICE_NAME.test(stem)) {
      return `"${part}" is the name of a device on Windows`;
    }
  }
  return null;
}

/** The form in which two paths are one file where case does not count. */
export function foldPath(path: string): string {
  // Lower case of Σ depends on its place in the word.
  return path.toLowerCase().replaceAll("\u03c2", "\u03c3");
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The directory of a path, empty for a file at the top. */
export function directoryOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? "" : path.slice(0, end);
}

/** The extension of a path in lower case, with its dot; empty when there is none. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot).toLowerCase();
}

/** Tells whether a file's name is SKILL.md in any case. */
export function isManifestName(name: string): boolean {
  return name.length === "SKILL.md".length && name.toLowerCase() === "skill.md";
}

/** Joins a directory and a relative path that may go up; null when it leaves the top. */
export function resolvePath(directory: string, relative: string): string | null {
  const parts = directory === "" ? [] : directory.split("/");
  for (const part of relative.split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) {
        return null;
      }
    } else if (part !== "" && part !== ".") {
      parts.push(part);
    }
  }
  return parts.join("/");
}
