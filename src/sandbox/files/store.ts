/** Owns the bytes of a run's files: reading, copy on first write, growth and the quota; never knows names or paths. */
import { FileError } from "./errors.ts";
import type { DirNode, FileNode, Inode, LinkNode } from "./inode.ts";

/** What a run's file system may hold. */
export interface StoreLimits {
  /** Bytes of all written files together. */
  readonly bytes: number;
  /** Files, directories and links together. */
  readonly nodes: number;
}

const EMPTY = new Uint8Array(0);

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
  file(data: Uint8Array, mode: number, frozen: "frozen" | "free" = "free"): FileNode {
    const meta = this.#meta(mode, frozen);
    return { ...meta, kind: "file", data, size: data.length, owned: false, links: 0, opens: 0 };
  }

  dir(mode: number, parent: DirNode | null, frozen: "frozen" | "free" = "free"): DirNode {
    const node = { ...this.#meta(mode, frozen), kind: "dir" as const, entries: new Map<string, Inode>() };
    return Object.assign(node, { parent: parent ?? (node as unknown as DirNode) });
  }

  link(target: string): LinkNode {
    return { ...this.#meta(0o777, "free"), kind: "link", target };
  }

  /** Copies bytes out; gives how many there were. */
  read(node: FileNode, into: Uint8Array, position: number): number {
    if (node.device !== undefined) {
      return node.device.read(into);
    }
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
    const end = position + bytes.length;
    this.#own(node, Math.max(end, node.size));
    node.data.set(bytes, position);
    node.size = Math.max(node.size, end);
    node.mtime = this.#now();
    return bytes.length;
  }

  truncate(node: FileNode, size: number): void {
    if (node.device !== undefined) {
      return;
    }
    if (size === 0 && !node.owned) {
      this.#refuseFrozen(node);
      node.data = EMPTY;
      node.size = 0;
      node.owned = true;
      node.mtime = this.#now();
      return;
    }
    this.#own(node, size);
    node.data.fill(0, Math.min(size, node.size), Math.max(size, node.size));
    node.size = size;
    node.mtime = this.#now();
  }

  /** Gives the room of a file back once neither a name nor a descriptor leads to it. */
  release(node: Inode): void {
    if (node.kind === "file" && (node.links > 0 || node.opens > 0)) {
      return;
    }
    this.#nodes--;
    if (node.kind === "file" && node.owned) {
      this.#bytes -= node.data.length;
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

  #refuseFrozen(node: FileNode): void {
    if (node.frozen) {
      throw new FileError("EROFS", "write");
    }
  }

  /** Makes `data` this run's own, with room for `size` bytes, all of it counted. */
  #own(node: FileNode, size: number): void {
    this.#refuseFrozen(node);
    if (node.owned && node.data.length >= size) {
      return;
    }
    const counted = node.owned ? node.data.length : 0;
    const room = this.limits.bytes - this.#bytes + counted;
    if (size > room) {
      this.exhausted = true;
      throw new FileError("ENOSPC", "write");
    }
    // Doubling keeps appending linear; what is taken beyond need never exceeds the room that is left.
    const capacity = node.owned ? Math.min(Math.max(size, node.data.length * 2, 256), room) : size;
    const grown = new Uint8Array(capacity);
    grown.set(node.data.subarray(0, node.size));
    this.#bytes += capacity - counted;
    node.data = grown;
    node.owned = true;
  }
}
