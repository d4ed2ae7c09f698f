/** Owns the synchronous functions of `fs` over a run's files; never callbacks, promises or streams. */
import { FileError } from "../../files/errors.ts";
import type { DirNode, FileNode } from "../../files/inode.ts";
import { joinPath, resolvePath } from "../../files/paths.ts";
import type { Vfs } from "../../files/vfs.ts";
import { builtin } from "./builtins.ts";
import type { Descriptors } from "./descriptors.ts";
import { makeMore } from "./fs-more.ts";
import { asGiven } from "./fs-spelling.ts";
import { bigStats, CONSTANTS, Dirent, flagsOf, Stats } from "./fs-types.ts";
import { wrongType } from "./received.ts";
import { bytesOf, textOf } from "./text-bytes.ts";

type PathLike = string | URL | Uint8Array;
type PathOrFd = PathLike | number;
type Options = Record<string, unknown> | string | null | undefined;

export interface FsSyncOptions {
  readonly files: Vfs;
  readonly descriptors: Descriptors;
  readonly cwd: () => string;
}

/** Makes `readFileSync` and its kin. */
export function makeFsSync({ files, descriptors, cwd }: FsSyncOptions) {
  const at = (path: PathLike) => absolute(path, cwd());
  const nodeAt = (path: PathOrFd): FileNode => {
    const node = typeof path === "number" ? descriptors.node(path, "read") : files.find(at(path), "follow", "open");
    if (node.kind !== "file") {
      throw new FileError("EISDIR", "read");
    }
    return node;
  };
  const readAll = (path: PathOrFd): Uint8Array<ArrayBuffer> => {
    if (path === 0 || path === "/dev/stdin") {
      return descriptors.restOfStdin();
    }
    const node = nodeAt(path);
    return node.data.slice(0, node.size);
  };
  const openSync = (path: PathLike, flags: unknown = "r", mode = 0o666): number => {
    const full = at(path);
    const number = flagsOf(flags);
    const existing = files.peek(full);
    if (existing !== null && (number & CONSTANTS.O_EXCL) !== 0) {
      throw new FileError("EEXIST", "open", full);
    }
    if (existing?.kind === "dir") {
      if ((number & 3) !== 0) {
        throw new FileError("EISDIR", "open", full);
      }
      return descriptors.open(existing, full, number);
    }
    const node =
      (number & CONSTANTS.O_CREAT) === 0 ? files.find(full, "follow", "open") : files.openFile(full, mode & ~0o022);
    if ((number & CONSTANTS.O_TRUNC) !== 0 && node.kind === "file") {
      files.store.truncate(node, 0);
    }
    return descriptors.open(node as FileNode | DirNode, full, number);
  };
  const writeSync = (fd: number, data: string | ArrayBufferView, a?: unknown, b?: unknown, c?: unknown): number => {
    if (typeof data === "string") {
      return descriptors.write(fd, bytesOf(data, b), typeof a === "number" ? a : null);
    }
    const bytes = viewBytes(data);
    const { offset, length, position } = span(bytes.length, a, b, c);
    return descriptors.write(fd, bytes.subarray(offset, offset + length), position);
  };
  const writeAll = (path: PathOrFd, data: unknown, options: Options, flag: string): void => {
    const bytes = contentBytes(data, options);
    if (typeof path === "number") {
      descriptors.write(path, bytes, null);
      return;
    }
    if (path === "/dev/stdout" || path === "/dev/stderr") {
      descriptors.write(path === "/dev/stdout" ? 1 : 2, bytes, null);
      return;
    }
    const fd = openSync(path, option(options, "flag") ?? flag, Number(option(options, "mode") ?? 0o666));
    try {
      descriptors.write(fd, bytes, null);
    } finally {
      descriptors.close(fd);
    }
  };
  const entries = (path: string, shown: string, recursive: boolean): Dirent[] =>
    [...files.directory(path).entries]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, node]) => {
        const entry = new Dirent(name, shown, node.kind);
        const below = () => entries(joinPath(path, name), joinPath(shown, name), true);
        return recursive && node.kind === "dir" ? [entry, ...below()] : [entry];
      });
  const stat = (path: string, follow: "follow" | "nofollow", options: Options): Stats | undefined => {
    if (option(options, "throwIfNoEntry") === false && files.peek(path, follow) === null) {
      return undefined;
    }
    const node = files.find(path, follow, follow === "follow" ? "stat" : "lstat");
    return option(options, "bigint") === true ? bigStats(node) : new Stats(node);
  };
  const copyFileSync = (from: PathLike, to: PathLike, mode = 0): void => {
    if ((mode & CONSTANTS.COPYFILE_EXCL) !== 0 && files.peek(at(to)) !== null) {
      throw new FileError("EEXIST", "copyfile", at(from), at(to));
    }
    onPair("copyfile", at(from), at(to), () => {
      const node = nodeAt(from);
      files.writeFile(at(to), node.data.slice(0, node.size), node.mode);
    });
  };
  const calls = {
    ...makeMore({ files, descriptors, at, copyFile: copyFileSync }),
    readFileSync: (path: PathOrFd, options?: Options) => {
      const encoding = typeof options === "string" ? options : option(options, "encoding");
      const bytes = readAll(typeof path === "number" ? path : (path as string));
      return typeof encoding === "string" && encoding !== "buffer"
        ? textOf(bytes, encoding)
        : builtin("buffer").Buffer.from(bytes.buffer);
    },
    writeFileSync: (path: PathOrFd, data: unknown, options?: Options) => writeAll(path, data, options, "w"),
    appendFileSync: (path: PathOrFd, data: unknown, options?: Options) => writeAll(path, data, options, "a"),
    existsSync: (path: PathLike) => {
      try {
        return files.peek(at(path)) !== null;
      } catch {
        return false;
      }
    },
    accessSync: (path: PathLike, mode = 0) => {
      const node = files.find(at(path), "follow", "access");
      if ((mode & CONSTANTS.X_OK) !== 0 && node.kind === "file" && (node.mode & 0o111) === 0) {
        throw new FileError("EACCES", "access", at(path));
      }
    },
    statSync: (path: PathLike, options?: Options) => stat(at(path), "follow", options),
    lstatSync: (path: PathLike, options?: Options) => stat(at(path), "nofollow", options),
    fstatSync: (fd: number) => new Stats(descriptors.node(fd, "fstat")),
    readdirSync: (path: PathLike, options?: Options) => {
      const isWhole = option(options, "withFileTypes") === true;
      const shown = !isWhole ? "" : typeof path === "string" ? path : at(path);
      const found = entries(at(path), shown, option(options, "recursive") === true);
      return isWhole ? found : found.map((entry) => joinPath(entry.parentPath, entry.name));
    },
    mkdirSync: (path: PathLike, options?: Options | number) => {
      const recursive = typeof options === "object" && option(options, "recursive") === true;
      return recursive ? (files.mkdirAll(at(path)) ?? undefined) : files.mkdir(at(path));
    },
    mkdtempSync: (prefix: string) => {
      const path =
        prefix +
        Array.from({ length: 6 }, () => "abcdefghijklmnopqrstuvwxyz0123456789"[Math.floor(Math.random() * 36)]).join(
          "",
        );
      files.mkdir(at(path));
      return path;
    },
    rmdirSync: (path: PathLike, options?: Options) =>
      option(options, "recursive") === true ? files.removeTree(at(path)) : files.rmdir(at(path)),
    rmSync: (path: PathLike, options?: Options) => {
      const isForced = option(options, "force") === true;
      const node = isForced ? files.peek(at(path), "nofollow") : files.find(at(path), "nofollow", "lstat");
      if (node === null) {
        return;
      }
      if (node.kind === "dir" && option(options, "recursive") !== true) {
        const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`);
        throw Object.assign(error, { code: "ERR_FS_EISDIR", errno: 21, syscall: "rm", path });
      }
      files.removeTree(at(path));
    },
    unlinkSync: (path: PathLike) => files.unlink(at(path)),
    renameSync: (from: PathLike, to: PathLike) =>
      onPair("rename", at(from), at(to), () => files.rename(at(from), at(to))),
    copyFileSync,
    linkSync: (existing: PathLike, path: PathLike) => files.link(at(existing), at(path)),
    symlinkSync: (target: PathLike, path: PathLike) => files.symlink(String(target), at(path)),
    readlinkSync: (path: PathLike) => files.readlink(at(path)),
    realpathSync: Object.assign((path: PathLike) => files.realpath(at(path)), {
      native: (path: PathLike) => files.realpath(at(path)),
    }),
    truncateSync: (path: PathLike, size = 0) => files.store.truncate(nodeAt(path), size),
    ftruncateSync: (fd: number, size = 0) => files.store.truncate(descriptors.file(fd, "ftruncate"), size),
    openSync,
    closeSync: (fd: number) => descriptors.close(fd),
    fsyncSync: () => undefined,
    fdatasyncSync: () => undefined,
    readSync: (fd: number, into: ArrayBufferView, a?: unknown, b?: unknown, c?: unknown) => {
      const bytes = viewBytes(into);
      const { offset, length, position } = span(bytes.length, a, b, c);
      return descriptors.read(fd, bytes.subarray(offset, offset + length), position);
    },
    writeSync,
  };
  return asGiven(calls, at);
}

/** What goes wrong is told of both paths. */
function onPair(syscall: string, from: string, to: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw error instanceof FileError ? new FileError(error.code, syscall, from, to) : error;
  }
}

export type FsSync = ReturnType<typeof makeFsSync>;

/** The absolute path that a script means. */
export function absolute(path: PathLike, cwd: string): string {
  if (typeof path !== "string" && !(path instanceof Uint8Array) && !(path instanceof URL)) {
    throw wrongType("path", "of type string or an instance of Buffer or URL", path);
  }
  const text = spellingOf(path);
  if (text.includes("\0")) {
    throw Object.assign(new TypeError("The argument 'path' must be a string without null bytes"), {
      code: "ERR_INVALID_ARG_VALUE",
    });
  }
  if (text === "") {
    throw new FileError("ENOENT", "open", "");
  }
  const full = resolvePath(cwd, text);
  return text.endsWith("/") && full !== "/" ? `${full}/` : full;
}

/** As it would be in UTF-8: half a character is none. */
function spellingOf(path: PathLike): string {
  if (path instanceof URL) {
    return decodeURIComponent(path.pathname);
  }
  return typeof path === "string" ? path.toWellFormed() : new TextDecoder().decode(path);
}

function option(options: Options, name: string): unknown {
  return typeof options === "object" && options !== null ? options[name] : undefined;
}

function contentBytes(data: unknown, options: Options): Uint8Array {
  if (ArrayBuffer.isView(data)) {
    return viewBytes(data);
  }
  if (typeof data !== "string") {
    throw wrongType("data", "of type string or an instance of Buffer, TypedArray, or DataView", data);
  }
  return bytesOf(data, typeof options === "string" ? options : option(options, "encoding"));
}

function viewBytes(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** `(offset, length, position)` or `({ offset, length, position })`, as `read` and `write` take it. */
function span(
  size: number,
  a: unknown,
  b: unknown,
  c: unknown,
): { offset: number; length: number; position: number | null } {
  const given =
    typeof a === "object" && a !== null ? (a as Record<string, unknown>) : { offset: a, length: b, position: c };
  const offset = typeof given.offset === "number" ? given.offset : 0;
  const length = typeof given.length === "number" ? given.length : size - offset;
  return {
    offset,
    length,
    position: typeof given.position === "number" && given.position >= 0 ? given.position : null,
  };
}
