/** Owns walking through what is a run's own on its file system; never follows links. */
import { bring } from "./absent.ts";
import type { DirNode, FileNode, Inode } from "./inode.ts";
import type { Vfs } from "./vfs.ts";

/** Trees that are no part of a run's own state. */
const APART = new Set(["/usr", "/dev", "/bin", "/lib"]);

/** Shows every node and its path, a directory before what is in it. */
export function visit(files: Vfs, seen: (path: string, node: Inode) => void): void {
  visitBelow(files.root, "", seen);
}

function visitBelow(dir: DirNode, prefix: string, seen: (path: string, node: Inode) => void): void {
  for (const [name, node] of dir.entries) {
    const path = `${prefix}/${name}`;
    if (!APART.has(path)) {
      seen(path, node);
      if (node.kind === "dir") {
        visitBelow(node, path, seen);
      }
    }
  }
}

/** Waits for the bytes of all files that are wanted. */
export async function bringWhere(files: Vfs, wanted: (path: string) => boolean): Promise<void> {
  const absent: FileNode[] = [];
  visit(files, (path, node) => {
    if (node.kind === "file" && node.absent !== undefined && wanted(path)) {
      absent.push(node);
    }
  });
  for (const node of absent) {
    await bring(node);
  }
}
