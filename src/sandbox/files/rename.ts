/** Owns what rename(2) refuses; never moves anything. */
import { FileError } from "./errors.ts";
import type { DirNode, Inode } from "./inode.ts";

/** Throws what rename(2) would, for a node that is to take the place of another one, or a free one, in a directory. */
export function refuseRename(node: Inode, toDir: DirNode, there: Inode | undefined, from: string, to: string): void {
  if (node.frozen) {
    // Runs share it: it is no run's to take from its place.
    throw new FileError("EBUSY", "rename", from, to);
  }
  for (let above = toDir; node.kind === "dir"; above = above.parent) {
    if (above === node) {
      throw new FileError("EINVAL", "rename", from, to);
    }
    if (above === above.parent) {
      break;
    }
  }
  if (there?.kind === "dir" && node.kind !== "dir") {
    throw new FileError("EISDIR", "rename", from, to);
  }
  if (there !== undefined && there.kind !== "dir" && node.kind === "dir") {
    throw new FileError("ENOTDIR", "rename", from, to);
  }
  if (there?.kind === "dir" && there.entries.size > 0) {
    throw new FileError("ENOTEMPTY", "rename", from, to);
  }
}
