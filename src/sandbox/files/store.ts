/** Owns the bytes of a run's files: reading, copy on first write, growth and the quota; never knows names or paths. */
import { AbsentError, sizeOfContent } from "./absent.ts";
import { FileError } from "./errors.ts";
import type { Absent, DirNode, FileNode, Inode, LinkNode } from "./inode.ts";
import { LONGEST_PATH } from "./names.ts";

/** What a run's file system may hold. */
export interface StoreLimits {
  /** Bytes of all written files together. */
  readonly bytes: number;
  /** Files, directories and links together. */
  readonly nodes: number;
}

const EMPTY = new Uint8Array(0);

/** Bytes that a file which is written gets at least. */
const LEAST_ROOM = 256;

/** Makes inodes and moves their bytes; one per run. */
export class Store {
  readonly limits: StoreLimits;
  readonly #now: () => number;
  #bytes = 0;
  #nodes = 0;
  #ino = 1;
  /** True once a write was refused for lack of room. */
  exhausted = false;

  constructor(limits: StoreLimits, now: () => number) {
    this.limits = limits;
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  /** A file over bytes that stay shared until the run writes to it. */
  file(content: Uint8Array | Absent, mode: number, frozen: "frozen" | "free" = "free"): FileNode {
    const meta = this.#meta(mode, frozen);
    const size = sizeOfContent(content);
    const held = content instanceof Uint8Array ? { data: content } : { data: EMPTY, absent: content };
    return { ...meta, ...held, kind: "file", size, owned: false, links: 0, opens: 0 };
  }

  dir(mode: number, parent: DirNode | null, frozen: "frozen" | "free" = "free"): DirNode {
    const node = { ...this.#meta(mode, frozen), kind: "dir" as const, entries: new Map<string, Inode>() };
    return Object.assign(node, { parent: parent ?? (node as unknown as DirNode), pathLength: 0 });
  }

  link(target: string): LinkNode {
    if (target.length > LONGEST_PATH) {
      throw new FileError("ENAMETOOLONG", "symlink");
    }
    return { ...this.#meta(0o777, "free"), kind: "link", target };
  }

  /** Copies bytes out; gives how many there were. Throws {@link AbsentError}. */
  read(node: FileNode, into: Uint8Array, position: number): number {
    if (node.device !== undefined) {
      return node.device.read(into);
    }
    this.#refuseAbsent(node);
    // First the bytes, then the size: of a sealed file that is made when it is read, the size is known only then.
    const { data } = node;
    const count = Math.max(0, Math.min(into.length, node.size - position));
    if (count > 0) {
      into.set(data.subarray(position, position + count));
    }
    return count;
  }

  /** Writes all bytes at a position, filling a gap with zeros. */
  write(node: FileNode, bytes: Uint8Array, position: number): number {
    if (node.device !== undefined) {
      node.device.write(bytes);
      return bytes.length;
    }
    this.#resize(node, Math.max(position + bytes.length, node.size));
    node.data.set(bytes, position);
    node.mtime = this.#now();
    return bytes.length;
  }

  truncate(node: FileNode, size: number): void {
    if (node.device !== undefined) {
      return;
    }
    const before = node.size;
    if (size === 0 && !node.owned) {
      this.#refuseFrozen(node);
      node.data = EMPTY;
      node.absent = undefined;
      node.size = 0;
      node.owned = true;
    } else {
      this.#resize(node, size);
      node.data.fill(0, Math.min(size, before), Math.max(size, before));
    }
    node.mtime = this.#now();
  }

  /** Gives the room of a file back once neither a name nor a descriptor leads to it. */
  release(node: Inode): void {
    if (node.kind === "file" && (node.links > 0 || node.opens > 0)) {
      return;
    }
    this.#nodes--;
    if (node.kind === "file" && node.owned) {
      this.#bytes -= node.size;
      node.data = EMPTY;
      node.size = 0;
    }
  }

  #meta(mode: number, frozen: "frozen" | "free") {
    this.#nodes++;
    if (this.#nodes > this.limits.nodes) {
      this.#nodes--;
      this.exhausted = true;
      throw new FileError("ENOSPC", "open");
    }
    return { ino: this.#ino++, mode, mtime: this.#now(), frozen: frozen === "frozen" };
  }

  #refuseAbsent(node: FileNode): void {
    if (node.absent !== undefined) {
      throw new AbsentError(node);
    }
  }

  #refuseFrozen(node: FileNode): void {
    if (node.frozen) {
      throw new FileError("EROFS", "write");
    }
  }

  /** Makes `data` this run's own with `size` bytes of content, all of them counted; what is new in them is not cleared. */
  #resize(node: FileNode, size: number): void {
    this.#refuseFrozen(node);
    this.#refuseAbsent(node);
    const counted = node.owned ? node.size : 0;
    // Written so that a size that is no number does not pass.
    if (!(size - counted <= this.limits.bytes - this.#bytes)) {
      this.exhausted = true;
      throw new FileError("ENOSPC", "write");
    }
    const { length } = node.data;
    // Room beyond the content keeps appending linear. It is not counted, so there is never more than as much again.
    if (!node.owned || length < size || length > 2 * Math.max(size, LEAST_ROOM)) {
      const grown = new Uint8Array(node.owned ? Math.max(size, Math.min(2 * length, 2 * size), LEAST_ROOM) : size);
      grown.set(node.data.subarray(0, Math.min(node.size, size)));
      node.data = grown;
      node.owned = true;
    }
    this.#bytes += size - counted;
    node.size = size;
  }
}
