/** Owns the errors of the sandbox's file system: their POSIX names, numbers and words; never decides when one is raised. */

/** POSIX name → [number on Linux, number in WASI (what Emscripten's libc speaks), words]. */
const FACTS = {
  EPERM: [1, 63, "operation not permitted"],
  ENOENT: [2, 44, "no such file or directory"],
  EIO: [5, 29, "i/o error"],
  EBADF: [9, 8, "bad file descriptor"],
  EACCES: [13, 2, "permission denied"],
  EBUSY: [16, 10, "resource busy or locked"],
  EEXIST: [17, 20, "file already exists"],
  EXDEV: [18, 75, "cross-device link not permitted"],
  ENOTDIR: [20, 54, "not a directory"],
  EISDIR: [21, 31, "illegal operation on a directory"],
  EINVAL: [22, 28, "invalid argument"],
  EMFILE: [24, 33, "too many open files"],
  EFBIG: [27, 22, "file too large"],
  ENOSPC: [28, 51, "no space left on device"],
  EROFS: [30, 69, "read-only file system"],
  ENAMETOOLONG: [36, 37, "name too long"],
  ENOTEMPTY: [39, 55, "directory not empty"],
  ELOOP: [40, 32, "too many symbolic links encountered"],
} as const satisfies Record<string, readonly [number, number, string]>;

export type FileErrorCode = keyof typeof FACTS;

/** A refused file operation. `code` is the POSIX name; `message` reads as Node.js writes it. */
export class FileError extends Error {
  override readonly name = "Error";
  readonly code: FileErrorCode;
  /** Negative, as Node.js gives it. */
  readonly errno: number;
  /** The number Emscripten's libc knows. */
  readonly wasi: number;
  readonly syscall: string;
  readonly path: string | undefined;
  readonly dest: string | undefined;

  constructor(code: FileErrorCode, syscall: string, path?: string, dest?: string) {
    const [linux, wasi, words] = FACTS[code];
    const where = path === undefined ? "" : ` '${path}'${dest === undefined ? "" : ` -> '${dest}'`}`;
    super(`${code}: ${words}, ${syscall}${where}`);
    this.code = code;
    this.errno = -linux;
    this.wasi = wasi;
    this.syscall = syscall;
    this.path = path;
    this.dest = dest;
  }
}
