/** Owns following a path through the tree, links and `..` included; never changes anything. */
import { FileError } from "./errors.ts";
import type { DirNode, Inode } from "./inode.ts";
import { LONGEST_PATH } from "./names.ts";
import { directoryName } from "./paths.ts";

/** Whether the last part of a path is followed when it is a link. */
export type Follow = "follow" | "nofollow";

/** Links that one path may lead through. */
const MOST_LINKS = 40;

/**
 * The node at an absolute path, and the path with its links resolved. Throws ENOENT, ENOTDIR or ELOOP.
 * `..` goes back the way it came: directories that runs share know no parent of one run.
 */
export function walk(
  root: DirNode,
  path: string,
  follow: Follow,
  syscall: string,
  shown = path,
): { node: Inode; path: string } {
  if (path.length > LONGEST_PATH) {
    throw new FileError("ENAMETOOLONG", syscall, shown);
  }
  const rest = path.split("/").reverse();
  let node: Inode = root;
  let above: DirNode[] = [];
  let names: string[] = [];
  let hops = 0;
  for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
    if (part === "" && rest.length === 0 && node.kind === "dir") {
      break;
    }
    if (node.kind !== "dir") {
      throw new FileError("ENOTDIR", syscall, shown);
    }
    if (part === "" || part === ".") {
      continue;
    }
    if (part === "..") {
      node = above.pop() ?? root;
      names.pop();
      continue;
    }
    const next: Inode | undefined = node.entries.get(part);
    if (next === undefined) {
      throw new FileError("ENOENT", syscall, shown);
    }
    if (next.kind === "link" && (follow === "follow" || rest.length > 0)) {
      if (++hops > MOST_LINKS) {
        throw new FileError("ELOOP", syscall, shown);
      }
      rest.push(...next.target.split("/").reverse());
      if (next.target.startsWith("/")) {
        node = root;
        above = [];
        names = [];
      }
      continue;
    }
    above.push(node);
    names.push(part);
    node = next;
  }
  return { node, path: `/${names.join("/")}` };
}

/** Where a path leads once links at its end are followed, even when the last one leads to nothing. Throws ELOOP. */
export function linkEnd(root: DirNode, path: string): string {
  let at = path;
  for (let hops = 0; hops <= MOST_LINKS; hops++) {
    const target = linkTarget(root, at);
    if (target === null) {
      return at;
    }
    at = target.startsWith("/") ? target : `${directoryName(at)}/${target}`;
  }
  throw new FileError("ELOOP", "open", path);
}

/** Null when the path leads to no link. */
function linkTarget(root: DirNode, path: string): string | null {
  try {
    const { node } = walk(root, path, "nofollow", "open");
    return node.kind === "link" ? node.target : null;
  } catch (error) {
    if (error instanceof FileError) {
      return null;
    }
    throw error;
  }
}
