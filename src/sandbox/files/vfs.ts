/** Owns the one file system of a run: paths, names and links over the store's bytes; never knows who calls it or what a skill is. */
import { AbsentError, bring } from "./absent.ts";
import { FileError } from "./errors.ts";
import type { DirNode, FileNode, Inode } from "./inode.ts";
import { LONGEST_PATH, Names } from "./names.ts";
import { baseName, directoryName } from "./paths.ts";
import { refuseRename } from "./rename.ts";
import type { Store } from "./store.ts";
import { type Follow, linkEnd, walk } from "./walk.ts";

/** Bytes that reading a whole device gives. */
const DEVICE_READ = 65_536;

/** A POSIX-like tree in memory. All paths are absolute; there is one user, who may do everything that is not frozen. */
export class Vfs {
  readonly store: Store;
  readonly root: DirNode;
  readonly #names: Names;

  constructor(store: Store) {
    this.store = store;
    this.#names = new Names(store.limits.nodes, () => {
      store.exhausted = true;
    });
    this.root = store.dir(0o755, null);
  }

  /** The node at a path. Throws ENOENT, ENOTDIR or ELOOP. */
  find(path: string, follow: Follow = "follow", syscall = "stat"): Inode {
    return walk(this.root, path, follow, syscall).node;
  }

  /** The node at a path, or null when nothing is there. */
  peek(path: string, follow: Follow = "follow"): Inode | null {
    try {
      return this.find(path, follow);
    } catch (error) {
      if (error instanceof FileError) {
        return null;
      }
      throw error;
    }
  }

  /** The path with every link resolved. */
  realpath(path: string): string {
    return walk(this.root, path, "follow", "realpath").path;
  }

  /** The directory that holds (or would hold) the last part of a path, and that part. */
  parent(path: string, syscall: string): { dir: DirNode; name: string } {
    const plain = path.replace(/\/+$/, "");
    const name = baseName(plain);
    const dir = walk(this.root, directoryName(plain), "follow", syscall, path).node;
    if (dir.kind !== "dir") {
      throw new FileError("ENOTDIR", syscall, path);
    }
    if (name === "" || name === "." || name === "..") {
      throw new FileError("EINVAL", syscall, path);
    }
    return { dir, name };
  }

  directory(path: string, syscall = "scandir"): DirNode {
    const node = this.find(path, "follow", syscall);
    if (node.kind !== "dir") {
      throw new FileError("ENOTDIR", syscall, path);
    }
    return node;
  }

  /** Waits for the bytes of the file at a path, if there is one; null where there is nothing to wait for. */
  bring(path: string): Promise<void> | null {
    return bring(this.peek(path));
  }

  /** The bytes of a file. Throws {@link AbsentError} for those that are not here yet. */
  readFile(path: string): Uint8Array {
    const node = this.find(path, "follow", "open");
    if (node.kind !== "file") {
      throw new FileError("EISDIR", "read", path);
    }
    if (node.device !== undefined) {
      const bytes = new Uint8Array(DEVICE_READ);
      return bytes.subarray(0, node.device.read(bytes));
    }
    if (node.absent !== undefined) {
      throw new AbsentError(node);
    }
    return node.data.subarray(0, node.size);
  }

  /** The file at a path, made when it is not there; links are followed, also ones that lead to nothing yet. */
  openFile(path: string, mode = 0o644): FileNode {
    const target = linkEnd(this.root, path);
    const { dir, name } = this.parent(target, "open");
    const found = dir.entries.get(name);
    if (found?.kind === "dir") {
      throw new FileError("EISDIR", "open", path);
    }
    if (found?.kind === "file") {
      return found;
    }
    const node = this.store.file(new Uint8Array(0), mode);
    node.owned = true;
    this.attach(dir, name, node);
    return node;
  }

  writeFile(path: string, bytes: Uint8Array, mode = 0o644): void {
    const node = this.openFile(path, mode);
    this.store.truncate(node, 0);
    this.store.write(node, bytes, 0);
  }

  appendFile(path: string, bytes: Uint8Array): void {
    const node = this.openFile(path);
    this.store.write(node, bytes, node.size);
  }

  mkdir(path: string, mode = 0o755): void {
    if (path === "/") {
      throw new FileError("EEXIST", "mkdir", path);
    }
    const { dir, name } = this.parent(path, "mkdir");
    if (dir.entries.has(name)) {
      throw new FileError("EEXIST", "mkdir", path);
    }
    this.attach(dir, name, this.store.dir(mode, dir));
  }

  /** Makes a directory and those above it; gives the first one made, or null. */
  mkdirAll(path: string, mode = 0o755): string | null {
    if (path.length > LONGEST_PATH) {
      throw new FileError("ENAMETOOLONG", "mkdir", path);
    }
    const existing = this.peek(path);
    if (existing?.kind === "dir") {
      return null;
    }
    if (existing !== null) {
      throw new FileError("EEXIST", "mkdir", path);
    }
    const above = this.mkdirAll(directoryName(path), mode);
    this.mkdir(path, mode);
    return above ?? path;
  }

  rmdir(path: string): void {
    const { dir, name } = this.parent(path, "rmdir");
    const node = this.#entry(dir, name, "rmdir", path);
    if (node.kind !== "dir") {
      throw new FileError("ENOTDIR", "rmdir", path);
    }
    if (node.entries.size > 0) {
      throw new FileError("ENOTEMPTY", "rmdir", path);
    }
    this.detach(dir, name);
  }

  unlink(path: string): void {
    const { dir, name } = this.parent(path, "unlink");
    if (this.#entry(dir, name, "unlink", path).kind === "dir") {
      throw new FileError("EISDIR", "unlink", path);
    }
    this.detach(dir, name);
  }

  /** Removes a file, a link, or a directory with all below it; links are never followed. */
  removeTree(path: string): void {
    const { dir, name } = this.parent(path, "rm");
    const node = this.#entry(dir, name, "rm", path);
    if (node.kind === "dir") {
      for (const child of [...node.entries.keys()]) {
        this.removeTree(`${path}/${child}`);
      }
    }
    this.detach(dir, name);
  }

  rename(from: string, to: string): void {
    const source = this.parent(from, "rename");
    const target = this.parent(to, "rename");
    this.move(source.dir, source.name, target.dir, target.name, from, to);
  }

  /** Moves an entry between directories as rename(2) does. */
  move(fromDir: DirNode, fromName: string, toDir: DirNode, toName: string, from = fromName, to = toName): void {
    const node = this.#entry(fromDir, fromName, "rename", from);
    const there = toDir.entries.get(toName);
    if (there === node) {
      return;
    }
    refuseRename(node, toDir, there, from, to);
    this.#refuseFrozen(fromDir, "rename");
    this.#refuseFrozen(toDir, "rename");
    this.#names.move(node, fromDir, fromName, toDir, toName);
    if (there !== undefined) {
      this.detach(toDir, toName);
    }
    fromDir.entries.delete(fromName);
    toDir.entries.set(toName, node);
    if (node.kind === "dir") {
      node.parent = toDir;
    }
    fromDir.mtime = this.store.now();
    toDir.mtime = fromDir.mtime;
  }

  symlink(target: string, path: string): void {
    const { dir, name } = this.parent(path, "symlink");
    if (dir.entries.has(name)) {
      throw new FileError("EEXIST", "symlink", target, path);
    }
    this.attach(dir, name, this.store.link(target));
  }

  /** A second name for a file. */
  link(existing: string, path: string): void {
    const node = this.find(existing, "nofollow", "link");
    if (node.kind !== "file") {
      throw new FileError("EPERM", "link", existing, path);
    }
    if (node.frozen) {
      throw new FileError("EXDEV", "link", existing, path);
    }
    const { dir, name } = this.parent(path, "link");
    if (dir.entries.has(name)) {
      throw new FileError("EEXIST", "link", existing, path);
    }
    this.attach(dir, name, node);
  }

  readlink(path: string): string {
    const node = this.find(path, "nofollow", "readlink");
    if (node.kind !== "link") {
      throw new FileError("EINVAL", "readlink", path);
    }
    return node.target;
  }

  /** Changes mode or time of a node. */
  setMeta(node: Inode, change: { readonly mode?: number; readonly mtime?: number }): void {
    this.#refuseFrozen(node, "chmod");
    node.mode = change.mode === undefined ? node.mode : change.mode & 0o7777;
    node.mtime = change.mtime ?? node.mtime;
  }

  /** Puts a node under a free name. */
  attach(dir: DirNode, name: string, node: Inode): void {
    this.#refuseFrozen(dir, "open");
    this.#names.add(dir, name, node);
    if (node.kind === "file") {
      node.links++;
    }
    dir.entries.set(name, node);
    dir.mtime = this.store.now();
  }

  /** Takes a name away, and its room with the last one. */
  detach(dir: DirNode, name: string): void {
    this.#refuseFrozen(dir, "unlink");
    const node = this.#entry(dir, name, "unlink", name);
    if (node.frozen) {
      throw new FileError("EBUSY", "unlink", name);
    }
    this.#names.remove(dir, name);
    dir.entries.delete(name);
    dir.mtime = this.store.now();
    if (node.kind === "file") {
      node.links--;
    }
    this.store.release(node);
  }

  #entry(dir: DirNode, name: string, syscall: string, path: string): Inode {
    const node = dir.entries.get(name);
    if (node === undefined) {
      throw new FileError("ENOENT", syscall, path);
    }
    return node;
  }

  #refuseFrozen(node: Inode, syscall: string): void {
    if (node.frozen) {
      throw new FileError("EROFS", syscall);
    }
  }
}
