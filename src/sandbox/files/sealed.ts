/** Owns building trees that all runs of an isolate share and none can change: the standard library, the names of commands. */
import type { DirNode, FileNode, Inode } from "./inode.ts";

let nextIno = 1_000_000;

/** A directory that no run can change. Its parent is never asked for: paths walk back the way they came. */
export function sealedDir(): DirNode {
  const node = {
    kind: "dir" as const,
    ino: nextIno++,
    mode: 0o755,
    mtime: 0,
    frozen: true,
    entries: new Map<string, Inode>(),
    pathLength: 0,
  };
  return Object.assign(node, { parent: node as unknown as DirNode });
}

/** A file that no run can change, its bytes made when they are first read. */
export function sealedFile(size: number, load: () => Uint8Array, mode = 0o444): FileNode {
  let data: Uint8Array | null = null;
  return {
    kind: "file",
    ino: nextIno++,
    mode,
    mtime: 0,
    frozen: true,
    size,
    owned: false,
    links: 1,
    opens: 0,
    get data() {
      data ??= load();
      return data;
    },
  };
}

/** Size shown of a file that is not made yet. */
const NOMINAL_SIZE = 4096;

/** A sealed file of which not even the size is known before it is made; looking at a directory makes none. */
export function sealedLazily(load: () => Uint8Array): FileNode {
  let data: Uint8Array | null = null;
  const made = () => {
    data ??= load();
    return data;
  };
  return Object.defineProperty(sealedFile(0, made), "size", { get: () => data?.length ?? NOMINAL_SIZE });
}

/** Puts a sealed file into a sealed tree, with the directories above it. */
export function plant(root: DirNode, path: string, file: FileNode): void {
  const parts = path.split("/");
  const name = parts.pop() ?? path;
  let dir = root;
  for (const part of parts) {
    const found = dir.entries.get(part);
    const next = found?.kind === "dir" ? found : sealedDir();
    dir.entries.set(part, next);
    dir = next;
  }
  dir.entries.set(name, file);
}
