/** Owns a script's open files by number, 0 to 2 among them; never paths. */
import { FileError } from "../../files/errors.ts";
import type { DirNode, FileNode } from "../../files/inode.ts";
import type { Store } from "../../files/store.ts";

/** What stands behind 0, 1 and 2. */
export interface Standard {
  readonly stdin: Uint8Array;
  readonly stdout: (bytes: Uint8Array) => void;
  readonly stderr: (bytes: Uint8Array) => void;
}

interface Open {
  readonly node: FileNode | DirNode;
  readonly path: string;
  readonly flags: number;
  position: number;
}

const MOST_OPEN = 1024;
const ACCESS = 3;
const APPEND = 0o2000;

export class Descriptors {
  readonly #open = new Map<number, Open>();
  readonly #store: Store;
  readonly #standard: Standard;
  #stdinAt = 0;
  #next = 3;

  constructor(store: Store, standard: Standard) {
    this.#store = store;
    this.#standard = standard;
  }

  open(node: FileNode | DirNode, path: string, flags: number): number {
    if (this.#open.size >= MOST_OPEN) {
      throw new FileError("EMFILE", "open", path);
    }
    if (node.kind === "file") {
      node.opens++;
    }
    const fd = this.#next++;
    this.#open.set(fd, { node, path, flags, position: 0 });
    return fd;
  }

  close(fd: number): void {
    const { node } = this.#get(fd, "close");
    this.#open.delete(fd);
    if (node.kind === "file" && --node.opens === 0 && node.links === 0) {
      this.#store.release(node);
    }
  }

  node(fd: number, syscall: string): FileNode | DirNode {
    return this.#get(fd, syscall).node;
  }

  file(fd: number, syscall: string): FileNode {
    const { node } = this.#get(fd, syscall);
    if (node.kind !== "file") {
      throw new FileError("EISDIR", syscall);
    }
    return node;
  }

  read(fd: number, into: Uint8Array, position: number | null): number {
    if (fd === 0) {
      const piece = this.#standard.stdin.subarray(this.#stdinAt, this.#stdinAt + into.length);
      into.set(piece);
      this.#stdinAt += piece.length;
      return piece.length;
    }
    const open = this.#get(fd, "read");
    if ((open.flags & ACCESS) === 1) {
      throw new FileError("EBADF", "read");
    }
    const count = this.#store.read(this.file(fd, "read"), into, position ?? open.position);
    open.position += position === null ? count : 0;
    return count;
  }

  /** What nobody has read yet of standard input. */
  restOfStdin(): Uint8Array<ArrayBuffer> {
    const rest = new Uint8Array(this.#standard.stdin.subarray(this.#stdinAt));
    this.#stdinAt += rest.length;
    return rest;
  }

  write(fd: number, bytes: Uint8Array, position: number | null): number {
    if (fd === 1 || fd === 2) {
      (fd === 1 ? this.#standard.stdout : this.#standard.stderr)(bytes);
      return bytes.length;
    }
    const open = this.#get(fd, "write");
    if ((open.flags & ACCESS) === 0) {
      throw new FileError("EBADF", "write");
    }
    const node = this.file(fd, "write");
    const at = (open.flags & APPEND) !== 0 ? node.size : (position ?? open.position);
    this.#store.write(node, bytes, at);
    open.position = position === null ? at + bytes.length : open.position;
    return bytes.length;
  }

  #get(fd: number, syscall: string): Open {
    const open = this.#open.get(fd);
    if (open === undefined) {
      throw new FileError("EBADF", syscall);
    }
    return open;
  }
}
