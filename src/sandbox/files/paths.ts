/** Owns the arithmetic of POSIX paths as texts; never looks at a file system. */

/** The absolute form of a path, with `.`, `..` and repeated `/` taken out as texts. */
export function resolvePath(base: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (part === "..") {
      parts.pop();
    } else if (part !== "" && part !== ".") {
      parts.push(part);
    }
  }
  return `/${parts.join("/")}`;
}

/** The last part of an absolute path; empty for the root. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The directory part of an absolute path. */
export function directoryName(path: string): string {
  const at = path.lastIndexOf("/");
  return at <= 0 ? "/" : path.slice(0, at);
}

/** A name below a directory. The empty text stands for a directory that is not named. */
export function joinPath(directory: string, name: string): string {
  return directory === "" || directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}
