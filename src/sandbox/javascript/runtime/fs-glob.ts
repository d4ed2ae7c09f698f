/** Owns finding files by patterns (`fs.glob`) and telling whether a path fits one (`path.matchesGlob`); never reads files. */
import { joinPath, resolvePath } from "../../files/paths.ts";
import type { FsSync } from "./fs-sync.ts";
import { Dirent } from "./fs-types.ts";

interface GlobOptions {
  readonly cwd?: string | URL;
  readonly exclude?: readonly string[] | ((entry: never) => boolean);
  readonly withFileTypes?: boolean;
}

/** More places than a pattern of a script's own files leads to. */
const MOST_ALTERNATIVES = 1000;

/** Makes `globSync` and `glob` of `fs/promises`. */
export function makeGlob(sync: FsSync, cwd: () => string) {
  const globSync = (patterns: string | readonly string[], options: GlobOptions = {}): (string | Dirent)[] => {
    const root = options.cwd === undefined ? cwd() : resolvePath(cwd(), pathOf(options.cwd));
    const wanted = (typeof patterns === "string" ? [patterns] : patterns).flatMap(alternatives);
    const { exclude } = options;
    const unwanted = Array.isArray(exclude) ? exclude.flatMap(alternatives).map(partsOf) : [];
    const isExcluded = (path: string, entry: Dirent): boolean =>
      typeof exclude === "function"
        ? exclude((options.withFileTypes === true ? entry : path) as never)
        : unwanted.some((parts) => fits(path.split("/"), parts));
    const found = new Map<string, Dirent>();
    const absolute = wanted.filter((pattern) => pattern.startsWith("/"));
    const walk = (directory: string, shown: string, parts: readonly (readonly string[])[]): void => {
      for (const entry of entriesOf(sync, directory)) {
        const path = shown === "" ? entry.name : joinPath(shown, entry.name);
        const names = path.split("/");
        if (isExcluded(path, entry)) {
          continue;
        }
        if (parts.some((pattern) => fits(names, pattern))) {
          found.set(path, entry);
        }
        if (entry.isDirectory() && parts.some((pattern) => mayLead(names, pattern))) {
          walk(joinPath(directory, entry.name), path, parts);
        }
      }
    };
    const relative = wanted.filter((pattern) => !pattern.startsWith("/")).map(partsOf);
    const self = ".";
    if (relative.some((pattern) => fits([], pattern)) && !isExcluded(self, new Dirent(self, root, "dir"))) {
      found.set(self, new Dirent(self, root, "dir"));
    }
    if (relative.length > 0) {
      walk(root, "", relative);
    }
    if (absolute.length > 0) {
      walk(
        "/",
        "/",
        absolute.map((pattern) => ["", ...partsOf(pattern.slice(1))]),
      );
    }
    return options.withFileTypes === true ? [...found.values()] : [...found.keys()];
  };
  async function* glob(patterns: string | readonly string[], options?: GlobOptions) {
    yield* globSync(patterns, options);
  }
  return { globSync, glob };
}

/** `path.matchesGlob` */
export function matchesGlob(path: string, pattern: string): boolean {
  const names = path.split("/");
  return alternatives(pattern).some((one) => fits(names, one.split("/")));
}

function entriesOf(sync: FsSync, directory: string): Dirent[] {
  try {
    return sync.readdirSync(directory, { withFileTypes: true }) as Dirent[];
  } catch {
    return [];
  }
}

function pathOf(path: string | URL): string {
  return typeof path === "string" ? path : decodeURIComponent(path.pathname);
}

function partsOf(pattern: string): string[] {
  return pattern.replace(/^\.\//, "").replace(/\/$/, "").split("/");
}

/** A pattern without braces for each of their alternatives. */
function alternatives(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined && done.length < MOST_ALTERNATIVES; next = open.pop()) {
    const [whole, inner] = /\{([^{}]*,[^{}]*)\}/.exec(next) ?? [];
    if (whole === undefined || inner === undefined) {
      done.push(next);
    } else {
      const [before, after] = [next.slice(0, next.indexOf(whole)), next.slice(next.indexOf(whole) + whole.length)];
      open.push(...inner.split(",").map((part) => before + part + after));
    }
  }
  return done;
}

function fits(names: readonly string[], parts: readonly string[]): boolean {
  const [part, ...others] = parts;
  if (part === undefined) {
    return names.length === 0;
  }
  if (part === "**") {
    const isVisible = names[0] !== undefined && !names[0].startsWith(".");
    return fits(names, others) || (isVisible && fits(names.slice(1), parts));
  }
  const [name, ...rest] = names;
  return name !== undefined && nameFits(name, part) && fits(rest, others);
}

/** Whether something below a directory may fit. */
function mayLead(names: readonly string[], parts: readonly string[]): boolean {
  for (let at = 0; at < names.length; at++) {
    const part = parts[at];
    if (part === "**") {
      return true;
    }
    if (part === undefined || !nameFits(names[at] ?? "", part)) {
      return false;
    }
  }
  return parts.length > names.length;
}

function nameFits(name: string, part: string): boolean {
  if (name.startsWith(".") && !part.startsWith(".")) {
    return false;
  }
  const source = part.replace(/\[!?[^\]]+\]|[\s\S]/g, (piece) =>
    piece === "*"
      ? "[^/]*"
      : piece === "?"
        ? "[^/]"
        : piece.length > 1
          ? piece.replace(/^\[!/, "[^").replaceAll("\\", "\\\\")
          : piece.replace(/[.+^${}()|[\]\\]/, "\\$&"),
  );
  return new RegExp(`^${source}$`, "u").test(name);
}
