/** Owns the small classes that `fs` gives out: Stats and Dirent; never reads anything. */
import { fullMode, type Inode, sizeOf } from "../../files/inode.ts";

export class Stats {
  readonly dev = 1;
  readonly ino: number;
  readonly mode: number;
  readonly nlink: number;
  readonly uid = 1000;
  readonly gid = 1000;
  readonly rdev = 0;
  readonly size: number;
  readonly blksize = 4096;
  readonly blocks: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly atime: Date;
  readonly mtime: Date;
  readonly ctime: Date;
  readonly birthtime: Date;
  readonly #kind: Inode["kind"];

  constructor(node: Inode) {
    this.ino = node.ino;
    this.mode = fullMode(node);
    this.nlink = node.kind === "file" ? node.links : 1;
    this.size = sizeOf(node);
    this.blocks = Math.ceil(this.size / 512);
    this.#kind = node.kind;
    this.atimeMs = this.mtimeMs = this.ctimeMs = this.birthtimeMs = node.mtime;
    this.atime = this.mtime = this.ctime = this.birthtime = new Date(node.mtime);
  }

  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "dir";
  }
  isSymbolicLink(): boolean {
    return this.#kind === "link";
  }
  isFIFO(): boolean {
    return false;
  }
  isSocket(): boolean {
    return false;
  }
  isBlockDevice(): boolean {
    return false;
  }
  isCharacterDevice(): boolean {
    return false;
  }
}

/** The same with whole numbers without bound, and times in nanoseconds beside those in milliseconds. */
export function bigStats(node: Inode): Stats {
  const stats = new Stats(node);
  for (const [name, value] of Object.entries(stats)) {
    if (typeof value === "number") {
      const number = BigInt(Math.floor(value));
      const nanoseconds = name.endsWith("Ms") ? { [name.replace("Ms", "Ns")]: number * 1_000_000n } : {};
      Object.assign(stats, { [name]: number, ...nanoseconds });
    }
  }
  return stats;
}

export class Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;
  readonly #kind: Inode["kind"];

  constructor(name: string, parentPath: string, kind: Inode["kind"]) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    this.#kind = kind;
  }

  isFile(): boolean {
    return this.#kind === "file";
  }
  isDirectory(): boolean {
    return this.#kind === "dir";
  }
  isSymbolicLink(): boolean {
    return this.#kind === "link";
  }
  isFIFO(): boolean {
    return false;
  }
  isSocket(): boolean {
    return false;
  }
  isBlockDevice(): boolean {
    return false;
  }
  isCharacterDevice(): boolean {
    return false;
  }
}

/** `fs.constants` */
export const CONSTANTS = {
  F_OK: 0,
  X_OK: 1,
  W_OK: 2,
  R_OK: 4,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 0o100,
  O_EXCL: 0o200,
  O_TRUNC: 0o1000,
  O_APPEND: 0o2000,
  O_DIRECTORY: 0o200000,
  O_NOFOLLOW: 0o400000,
  O_SYNC: 0o4010000,
  COPYFILE_EXCL: 1,
  COPYFILE_FICLONE: 2,
  S_IFMT: 0o170000,
  S_IFREG: 0o100000,
  S_IFDIR: 0o40000,
  S_IFLNK: 0o120000,
  S_IRWXU: 0o700,
  S_IRUSR: 0o400,
  S_IWUSR: 0o200,
  S_IXUSR: 0o100,
} as const;

const FLAGS: Readonly<Record<string, number>> = {
  r: 0,
  "r+": 2,
  rs: 0,
  "rs+": 2,
  w: 0o1101,
  wx: 0o1301,
  "w+": 0o1102,
  "wx+": 0o1302,
  a: 0o2101,
  ax: 0o2301,
  "a+": 0o2102,
  "ax+": 0o2302,
};

/** The number of an `open` flag. */
export function flagsOf(flags: unknown): number {
  return typeof flags === "number" ? flags : (FLAGS[String(flags ?? "r").replace("s", "")] ?? 0);
}
