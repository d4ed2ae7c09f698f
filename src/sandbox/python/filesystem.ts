/** Owns showing a run's file system to CPython as its root directory; never keeps bytes or names of its own. */
import { FileError } from "../files/errors.ts";
import type { DirNode, FileNode, Inode } from "../files/inode.ts";
import { fullMode, sizeOf } from "../files/inode.ts";
import type { Vfs } from "../files/vfs.ts";
import type { EmFs, EmMount, EmNode, EmStream, StreamOps } from "./emscripten.ts";

/** Directories of Emscripten's own that stay visible at the root: open descriptors. */
const KEPT = ["proc"];

interface VfsNode extends EmNode {
  inode: Inode;
}

/** What new files may not be allowed where nothing else was said. */
const UMASK = 0o022;

/** What new files may not be allowed: umask(2). */
export function umaskOf(fs: EmFs): number {
  return fs.umask ?? UMASK;
}

/** Room in CPython's memory that starts on a page: its address, and the bytes there. */
export type Allocate = (size: number) => { readonly pointer: number; readonly bytes: Uint8Array };

interface Attributes {
  mode?: number;
  size?: number;
  mtime?: number | null;
  timestamp?: number;
}

/** Puts the run's file system in place of Emscripten's root. */
export function mountRoot(fs: EmFs, files: Vfs, allocate: Allocate): void {
  const backend = new Backend(fs, files, allocate);
  const old = fs.root;
  const mount: EmMount = { type: {}, opts: {}, mountpoint: "/", mounts: [], root: old };
  const root = backend.node(null, "/", files.root);
  root.mount = mount;
  mount.root = root;
  for (const name of KEPT) {
    const node = fs.lookupNode(old, name);
    node.parent = root;
    backend.kept.set(name, node);
  }
  // Names are always looked up in the run's own tree, which the shell may change meanwhile; Emscripten must not remember any.
  const hashAdd = fs.hashAddNode.bind(fs);
  fs.hashAddNode = (node) => {
    if (!("inode" in node)) {
      hashAdd(node);
    }
  };
  fs.root = root;
}

class Backend {
  readonly kept = new Map<string, EmNode>();
  readonly #fs: EmFs;
  readonly #files: Vfs;
  readonly #allocate: Allocate;
  readonly #known = new WeakMap<Inode, VfsNode>();
  readonly #nodeOps: Record<string, unknown>;
  readonly #streamOps: StreamOps;

  constructor(fs: EmFs, files: Vfs, allocate: Allocate) {
    this.#fs = fs;
    this.#allocate = allocate;
    this.#files = files;
    this.#nodeOps = this.#guardAll(this.#makeNodeOps());
    this.#streamOps = this.#guardAll(this.#makeStreamOps());
  }

  /** Emscripten's view of a node under one of its names. */
  node(parent: EmNode | null, name: string, inode: Inode): VfsNode {
    const known = this.#known.get(inode);
    if (known !== undefined && known.parent === parent && known.name === name) {
      known.mode = fullMode(inode);
      return known;
    }
    const node = Object.assign(new this.#fs.FSNode(parent, name, fullMode(inode), 0), { inode });
    node.node_ops = this.#nodeOps;
    node.stream_ops = this.#streamOps;
    this.#known.set(inode, node);
    return node;
  }

  #makeNodeOps() {
    const files = this.#files;
    return {
      lookup: (parent: VfsNode, name: string) => {
        const kept = parent.inode === files.root ? this.kept.get(name) : undefined;
        return kept ?? this.node(parent, name, this.#child(parent, name));
      },
      getattr: (node: VfsNode) => attributes(node),
      setattr: (node: VfsNode, change: Attributes) => this.#setattr(node, change),
      mknod: (parent: VfsNode, name: string, mode: number) => {
        const dir = asDir(parent);
        const isDir = (mode & 0o170000) === 0o040000;
        const kept = mode & 0o7777 & ~umaskOf(this.#fs);
        const inode = isDir ? files.store.dir(kept, dir) : files.store.file(new Uint8Array(0), kept);
        files.attach(dir, name, inode);
        return this.node(parent, name, inode);
      },
      rename: (node: VfsNode, to: VfsNode, name: string) => {
        files.move(asDir(node.parent as VfsNode), node.name, asDir(to), name);
        node.name = name;
      },
      unlink: (parent: VfsNode, name: string) => files.detach(asDir(parent), name),
      rmdir: (parent: VfsNode, name: string) => {
        const inode = this.#child(parent, name);
        if (inode.kind === "dir" && inode.entries.size > 0) {
          throw new FileError("ENOTEMPTY", "rmdir", name);
        }
        files.detach(asDir(parent), name);
      },
      readdir: (node: VfsNode) => {
        const names = [".", "..", ...asDir(node).entries.keys()];
        return node.inode === files.root ? [...names, ...KEPT] : names;
      },
      symlink: (parent: VfsNode, name: string, target: string) => {
        const inode = files.store.link(target);
        files.attach(asDir(parent), name, inode);
        return this.node(parent, name, inode);
      },
      readlink: (node: VfsNode) => {
        if (node.inode.kind !== "link") {
          throw new FileError("EINVAL", "readlink", node.name);
        }
        return node.inode.target;
      },
    };
  }

  #makeStreamOps() {
    const store = this.#files.store;
    return {
      open: (stream: EmStream) => {
        const inode = (stream.node as VfsNode).inode;
        if (inode.kind === "file") {
          inode.opens++;
          stream.shared.refcount = 1;
        }
      },
      dup: (stream: EmStream) => {
        stream.shared.refcount = (stream.shared.refcount ?? 1) + 1;
      },
      close: (stream: EmStream) => {
        const inode = (stream.node as VfsNode).inode;
        stream.shared.refcount = (stream.shared.refcount ?? 1) - 1;
        if (inode.kind === "file" && stream.shared.refcount === 0) {
          inode.opens--;
          if (inode.links === 0 && inode.opens === 0) {
            store.release(inode);
          }
        }
      },
      read: (stream: EmStream, buffer: Int8Array, offset: number, length: number, position: number) =>
        store.read(asFile(stream), bytesOf(buffer, offset, length), position),
      write: (stream: EmStream, buffer: Int8Array, offset: number, length: number, position: number) =>
        store.write(asFile(stream), bytesOf(buffer, offset, length), position),
      mmap: (stream: EmStream, length: number, position: number) => {
        const { pointer, bytes } = this.#allocate(length);
        store.read(asFile(stream), bytes.fill(0), position);
        return { ptr: pointer, allocated: true };
      },
      msync: (stream: EmStream, buffer: Uint8Array, offset: number, length: number) => {
        const node = asFile(stream);
        // A mapping may reach beyond the end of the file; writing it back must not make the file longer.
        const count = Math.max(0, Math.min(length, node.size - offset));
        store.write(node, buffer.subarray(0, count), offset);
        return 0;
      },
      llseek: (stream: EmStream, offset: number, whence: number) => {
        const inode = (stream.node as VfsNode).inode;
        const base = [0, stream.position, inode.kind === "file" ? inode.size : 0][whence] ?? 0;
        if (base + offset < 0) {
          throw new FileError("EINVAL", "lseek");
        }
        return base + offset;
      },
    };
  }

  #setattr(node: VfsNode, change: Attributes): void {
    const { inode } = node;
    if (change.size !== undefined && inode.kind === "file") {
      this.#files.store.truncate(inode, change.size);
    }
    if (change.mode !== undefined) {
      this.#files.setMeta(inode, { mode: change.mode });
      node.mode = fullMode(inode);
    }
    if (typeof change.mtime === "number") {
      this.#files.setMeta(inode, { mtime: change.mtime });
    }
  }

  #child(parent: VfsNode, name: string): Inode {
    const inode = asDir(parent).entries.get(name);
    if (inode === undefined) {
      throw new FileError("ENOENT", "open", name);
    }
    return inode;
  }

  /** Emscripten tells its own errors from all others by their class. */
  #guardAll<T extends object>(ops: T): T {
    const guarded = Object.entries(ops).map(([name, op]) => [
      name,
      (...args: unknown[]) => {
        try {
          return op(...args);
        } catch (error) {
          throw error instanceof FileError ? new this.#fs.ErrnoError(error.wasi) : error;
        }
      },
    ]);
    return Object.fromEntries(guarded);
  }
}

function asDir(node: VfsNode): DirNode {
  if (node.inode.kind !== "dir") {
    throw new FileError("ENOTDIR", "open", node.name);
  }
  return node.inode;
}

function asFile(stream: EmStream): FileNode {
  const { inode } = stream.node as VfsNode;
  if (inode.kind !== "file") {
    throw new FileError("EISDIR", "read", stream.path);
  }
  return inode;
}

function bytesOf(buffer: Int8Array, offset: number, length: number): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length);
}

function attributes(node: VfsNode) {
  const { inode } = node;
  const time = new Date(inode.mtime);
  const size = sizeOf(inode);
  return {
    dev: 1,
    ino: inode.ino,
    mode: fullMode(inode),
    nlink: inode.kind === "file" ? inode.links : inode.kind === "dir" ? 2 : 1,
    uid: 1000,
    gid: 1000,
    rdev: 0,
    size,
    atime: time,
    mtime: time,
    ctime: time,
    blksize: 4096,
    blocks: Math.ceil(size / 512),
  };
}
