/** Owns what a file, a directory and a link are in the sandbox's file system; never walks paths. */

interface Meta {
  readonly ino: number;
  /** Permission bits only; the kind is in `kind`. */
  mode: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** Part of the sandbox itself: cannot be changed by a run. */
  readonly frozen: boolean;
}

/** Bytes that are not here yet. */
export interface Absent {
  readonly size: number;
  /** Gets them. */
  bring(): Promise<Uint8Array>;
}

export interface FileNode extends Meta {
  readonly kind: "file";
  /** The first `size` bytes are the content. Shared with the byte cache until the first write. */
  data: Uint8Array;
  size: number;
  /** True once `data` belongs to this run alone and counts against its quota. */
  owned: boolean;
  /** Names that lead here. */
  links: number;
  /** Open descriptors. */
  opens: number;
  /** What brings the bytes, while `data` holds none of them. */
  absent?: Absent | undefined;
  /** Where reads and writes go instead, for a device. */
  readonly device?: Device;
}

/** What stands behind a device file. */
export interface Device {
  /** Fills a buffer; gives how many bytes there were. */
  read(into: Uint8Array): number;
  write(bytes: Uint8Array): void;
}

export interface DirNode extends Meta {
  readonly kind: "dir";
  readonly entries: Map<string, Inode>;
  /** Characters of the path to it, which moves change; 0 for the root. */
  pathLength: number;
  /** The root and sealed directories are their own parents. */
  parent: DirNode;
}

export interface LinkNode extends Meta {
  readonly kind: "link";
  readonly target: string;
}

export type Inode = FileNode | DirNode | LinkNode;

const TYPE_BITS = { file: 0o100000, dir: 0o040000, link: 0o120000 } as const;

const DEVICE_BITS = 0o020000;

/** The mode as `stat` gives it, kind included. */
export function fullMode(node: Inode): number {
  if (node.kind === "file" && node.device !== undefined) {
    return DEVICE_BITS | node.mode;
  }
  return TYPE_BITS[node.kind] | node.mode;
}

/** The size as `stat` gives it. */
export function sizeOf(node: Inode): number {
  if (node.kind === "file") {
    return node.size;
  }
  return node.kind === "link" ? node.target.length : 4096;
}
