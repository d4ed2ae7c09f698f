/** Owns what differs between two file systems of one run as plain data, so that another isolate can go on with it; never follows links. */
import { directoryName } from "./paths.ts";
import type { Vfs } from "./vfs.ts";
import { visit } from "./visit.ts";

/** Changes against the state that both sides began with. */
export interface Delta {
  readonly dirs: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: Uint8Array; readonly mode: number }[];
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Paths that were there and are not any more. */
  readonly removed: readonly string[];
}

/** All paths of a run's own state. */
export function pathsOf(files: Vfs): Set<string> {
  const paths = new Set<string>();
  visit(files, (path) => paths.add(path));
  return paths;
}

/** What was written, made or removed since `before` was taken. The bytes of files that have a new path have to be here. */
export function takeDelta(files: Vfs, before: ReadonlySet<string>): Delta {
  const dirs: string[] = [];
  const changed: { path: string; bytes: Uint8Array; mode: number }[] = [];
  const links: { path: string; target: string }[] = [];
  const now = new Set<string>();
  visit(files, (path, node) => {
    now.add(path);
    if (node.kind === "dir" && !before.has(path)) {
      dirs.push(path);
    } else if (node.kind === "file" && (node.owned || !before.has(path))) {
      changed.push({ path, bytes: node.data.slice(0, node.size), mode: node.mode });
    } else if (node.kind === "link" && !before.has(path)) {
      links.push({ path, target: node.target });
    }
  });
  return { dirs, files: changed, links, removed: [...before].filter((path) => !now.has(path)) };
}

/** Brings a file system to the state of another. `shared` files do not count as written until they are written again. */
export function applyDelta(files: Vfs, delta: Delta, how: "shared" | "written"): void {
  for (const path of delta.removed) {
    if (files.peek(path, "nofollow") !== null) {
      files.removeTree(path);
    }
  }
  for (const path of delta.dirs) {
    files.mkdirAll(path);
  }
  for (const { path, bytes, mode } of delta.files) {
    files.mkdirAll(directoryName(path));
    if (how === "written") {
      files.writeFile(path, bytes, mode);
      continue;
    }
    if (files.peek(path, "nofollow") !== null) {
      files.removeTree(path);
    }
    const { dir, name } = files.parent(path, "open");
    files.attach(dir, name, files.store.file(bytes, mode));
  }
  for (const { path, target } of delta.links) {
    if (files.peek(path, "nofollow") === null) {
      files.symlink(target, path);
    }
  }
}
