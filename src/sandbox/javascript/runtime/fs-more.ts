/** Owns the synchronous functions of `fs` that few scripts use, over the same files; never paths as such. */
import { FileError } from "../../files/errors.ts";
import type { Inode } from "../../files/inode.ts";
import { directoryName } from "../../files/paths.ts";
import type { Vfs } from "../../files/vfs.ts";
import type { Descriptors } from "./descriptors.ts";

interface Means<Path> {
  readonly files: Vfs;
  readonly descriptors: Descriptors;
  readonly at: (path: Path) => string;
  readonly copyFile: (from: string, to: string, mode: number) => void;
}

interface CopyOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly errorOnExist?: boolean;
  readonly mode?: number;
  readonly filter?: (from: string, to: string) => unknown;
}

/** Bytes of the whole disk, as `statfs` tells them. */
const DISK_BYTES = 16 << 20;
const BLOCK = 4096;

/** Makes them. */
export function makeMore<Path>({ files, descriptors, at, copyFile }: Means<Path>) {
  const copyTree = (from: string, to: string, options: CopyOptions): void => {
    if (options.filter !== undefined && !options.filter(from, to)) {
      return;
    }
    const node = files.find(from, "nofollow", "cp");
    const existing = files.peek(to, "nofollow");
    if (node.kind === "dir") {
      const names = [...node.entries.keys()];
      files.mkdirAll(to);
      for (const name of names) {
        copyTree(`${from}/${name}`, `${to}/${name}`, options);
      }
      return;
    }
    if (existing !== null && options.force === false) {
      if (options.errorOnExist === true) {
        const error = new Error(`Target already exists: cp returned EEXIST (${to} already exists) ${to}`);
        throw Object.assign(error, { code: "ERR_FS_CP_EEXIST" });
      }
      return;
    }
    files.mkdirAll(directoryName(to));
    if (node.kind === "link") {
      if (existing !== null) {
        files.unlink(to);
      }
      files.symlink(node.target, to);
    } else {
      copyFile(from, to, options.mode ?? 0);
    }
  };
  const setTime = (node: Inode, mtime: unknown) =>
    files.setMeta(node, { mtime: mtime instanceof Date ? mtime.getTime() : Number(mtime) * 1000 });
  const modeOf = (mode: number | string) => (typeof mode === "string" ? Number.parseInt(mode, 8) : mode);
  const each = (call: "read" | "write", fd: number, views: readonly ArrayBufferView[], position?: number | null) => {
    let done = 0;
    for (const view of views) {
      const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
      const count = descriptors[call](fd, bytes, typeof position === "number" ? position + done : null);
      done += count;
      if (count < bytes.length) {
        break;
      }
    }
    return done;
  };
  return {
    chmodSync: (path: Path, mode: number | string) =>
      files.setMeta(files.find(at(path), "follow", "chmod"), { mode: modeOf(mode) }),
    fchmodSync: (fd: number, mode: number | string) =>
      files.setMeta(descriptors.node(fd, "fchmod"), { mode: modeOf(mode) }),
    chownSync: (path: Path, _uid?: number, _gid?: number) => void files.find(at(path), "follow", "chown"),
    lchownSync: (path: Path, _uid?: number, _gid?: number) => void files.find(at(path), "nofollow", "lchown"),
    fchownSync: (fd: number, _uid?: number, _gid?: number) => void descriptors.node(fd, "fchown"),
    utimesSync: (path: Path, _atime: unknown, mtime: unknown) =>
      setTime(files.find(at(path), "follow", "utime"), mtime),
    lutimesSync: (path: Path, _atime: unknown, mtime: unknown) =>
      setTime(files.find(at(path), "nofollow", "lutime"), mtime),
    futimesSync: (fd: number, _atime: unknown, mtime: unknown) => setTime(descriptors.node(fd, "futime"), mtime),
    readvSync: (fd: number, views: readonly ArrayBufferView[], position?: number | null) =>
      each("read", fd, views, position),
    writevSync: (fd: number, views: readonly ArrayBufferView[], position?: number | null) =>
      each("write", fd, views, position),
    statfsSync: (path: Path) => {
      files.find(at(path), "follow", "statfs");
      const blocks = DISK_BYTES / BLOCK;
      return { type: 0x01021994, bsize: BLOCK, blocks, bfree: blocks, bavail: blocks, files: 0, ffree: 0 };
    },
    cpSync: (from: Path, to: Path, options: CopyOptions = {}) => {
      const [source, target] = [at(from), at(to)];
      if (files.find(source, "follow", "cp").kind === "dir") {
        if (options.recursive !== true) {
          const error = new Error(`Recursive option not enabled, cannot copy a directory: ${source}`);
          throw Object.assign(error, { code: "ERR_FS_EISDIR" });
        }
        if (`${target}/`.startsWith(`${source}/`)) {
          const error = new Error(`Cannot copy ${String(from)} to a subdirectory of self ${String(to)}`);
          throw Object.assign(error, { code: "ERR_FS_CP_EINVAL" });
        }
      }
      const { filter } = options;
      // It sees the paths as they were given.
      const spelled = (path: string, own: string, given: Path) => String(given) + path.slice(own.length);
      const given = filter && ((a: string, b: string) => filter(spelled(a, source, from), spelled(b, target, to)));
      copyTree(source, target, { ...options, ...(given === undefined ? {} : { filter: given }) });
    },
    openableSync: (path: Path) => {
      const node = files.find(at(path), "follow", "opendir");
      if (node.kind !== "dir") {
        throw new FileError("ENOTDIR", "opendir", at(path));
      }
    },
  };
}
