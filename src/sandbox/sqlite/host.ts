/** Owns what SQLite's engine asks of its platform: the run's own files, clock, memory; never what is in a database. */
import { FileError } from "../files/errors.ts";
import type { FileNode, Inode } from "../files/inode.ts";
import { sizeOf } from "../files/inode.ts";
import { resolvePath } from "../files/paths.ts";
import type { Vfs } from "../files/vfs.ts";
import type { RunState } from "../run-state.ts";
import { HostMemory, PAGE } from "./host-memory.ts";

const O = { WRITES: 3, CREAT: 0o100, EXCL: 0o200, TRUNC: 0o1000 } as const;
const EINVAL = 28;
const GET_LOCK = 12;
const UNLOCKED = 2;
const NOFOLLOW = 256;

/** What the engine gives its host. */
export interface HostExports {
  readonly memory: WebAssembly.Memory;
  readonly emscripten_builtin_memalign: (alignment: number, size: number) => number;
}

export interface HostParts {
  readonly files: Vfs;
  readonly state: RunState;
  readonly exports: () => HostExports;
  /** Bytes the engine's memory may have. */
  readonly memoryBytes: number;
  /** Where names begin that are not absolute. */
  readonly cwd: () => string;
}

interface OpenFile {
  readonly inode: Inode;
  position: number;
}

/** The import objects of sql-wasm-debug.wasm: the build of sql.js whose imports have their own names. */
export function hostImports(parts: HostParts): WebAssembly.Imports {
  const host = new Host(parts);
  return { env: host.env(), wasi_snapshot_preview1: host.wasi() } as unknown as WebAssembly.Imports;
}

class Host {
  readonly #parts: HostParts;
  readonly #memory: HostMemory;
  readonly #open = new Map<number, OpenFile>();

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#memory = new HostMemory(() => parts.exports().memory);
  }

  env(): Record<string, unknown> {
    const { files, state, exports, memoryBytes, cwd } = this.#parts;
    const fail = () => {
      throw new Error("the engine gave up");
    };
    return {
      __assert_fail: fail,
      _abort_js: fail,
      __handle_stack_overflow: fail,
      warnLegacyFunction: () => undefined,
      emscripten_date_now: () => Date.now(),
      emscripten_get_now: () => performance.now(),
      emscripten_get_heap_max: () => memoryBytes,
      emscripten_resize_heap: (size: number) => this.#grow(size >>> 0),
      _tzset_js: (...at: [number, number, number, number]) => this.#memory.writeZone(...at),
      _localtime_js: (time: bigint, at: number) => this.#memory.writeTime(at, Number(time)),
      _mmap_js: (length: number, _prot: number, _flags: number, fd: number, offset: bigint, made: number, at: number) =>
        this.#answer(() => {
          const { inode } = this.#file(fd);
          const pointer = exports().emscripten_builtin_memalign(PAGE, Math.ceil(length / PAGE) * PAGE);
          if (pointer === 0) {
            return -48;
          }
          const bytes = this.#memory.bytes(pointer, length).fill(0);
          files.store.read(asFile(inode), bytes, Number(offset));
          this.#memory.view().setInt32(made, 1, true);
          this.#memory.view().setInt32(at, pointer, true);
          return 0;
        }),
      _munmap_js: () => 0,
      __syscall_geteuid32: () => 1000,
      __syscall_fchown32: () => 0,
      __syscall_fchmod: () => 0,
      __syscall_chmod: (path: number, mode: number) =>
        this.#answer(() => {
          files.setMeta(files.find(this.#path(path), "follow", "chmod"), { mode });
          return 0;
        }),
      __syscall_utimensat: (_dir: number, path: number) =>
        this.#answer(() => {
          files.setMeta(files.find(this.#path(path), "follow", "utime"), { mtime: files.store.now() });
          return 0;
        }),
      __syscall_faccessat: (_dir: number, path: number) => this.#done(() => files.find(this.#path(path))),
      __syscall_stat64: (path: number, at: number) => this.#stat(() => files.find(this.#path(path)), at),
      __syscall_lstat64: (path: number, at: number) => this.#stat(() => files.find(this.#path(path), "nofollow"), at),
      __syscall_newfstatat: (_dir: number, path: number, at: number, flags: number) =>
        this.#stat(() => files.find(this.#path(path), (flags & NOFOLLOW) === 0 ? "follow" : "nofollow"), at),
      __syscall_fstat64: (fd: number, at: number) => this.#stat(() => this.#file(fd).inode, at),
      __syscall_getcwd: (at: number, size: number) => this.#memory.write(at, cwd(), size),
      __syscall_mkdirat: (_dir: number, path: number) => this.#done(() => files.mkdir(this.#path(path))),
      __syscall_rmdir: (path: number) => this.#done(() => files.rmdir(this.#path(path))),
      __syscall_unlinkat: (_dir: number, path: number) => this.#done(() => files.unlink(this.#path(path))),
      __syscall_readlinkat: (_dir: number, path: number, at: number, size: number) =>
        this.#answer(() => {
          const bytes = new TextEncoder().encode(files.readlink(this.#path(path))).subarray(0, size);
          this.#memory.bytes(at, bytes.length).set(bytes);
          return bytes.length;
        }),
      __syscall_ftruncate64: (fd: number, size: bigint) =>
        this.#answer(() => {
          files.store.truncate(asFile(this.#file(fd).inode), Number(size));
          return 0;
        }),
      // Connections of one run share one engine, which keeps their locks apart by itself.
      __syscall_fcntl64: (fd: number, command: number, rest: number) =>
        this.#answer(() => {
          this.#file(fd);
          if (command === GET_LOCK) {
            this.#memory.view().setInt16(this.#memory.view().getInt32(rest, true), UNLOCKED, true);
          }
          return 0;
        }),
      __syscall_openat: (_dir: number, path: number, flags: number, rest: number) =>
        this.#answer(() => {
          state.throwIfStopped();
          return this.#openFile(this.#path(path), flags, rest === 0 ? 0o644 : this.#memory.view().getInt32(rest, true));
        }),
    };
  }

  wasi(): Record<string, unknown> {
    const { store } = this.#parts.files;
    return {
      environ_sizes_get: (count: number, size: number) => {
        this.#memory.bytes(count, 4).fill(0);
        this.#memory.bytes(size, 4).fill(0);
        return 0;
      },
      environ_get: () => 0,
      clock_time_get: (clock: number, _precision: bigint, at: number) => {
        const now = clock === 0 ? Date.now() : performance.now();
        this.#memory.view().setBigInt64(at, BigInt(Math.round(now * 1_000_000)), true);
        return 0;
      },
      fd_sync: () => 0,
      fd_fdstat_get: (_fd: number, at: number) => {
        this.#memory.bytes(at, 24).fill(0)[0] = 4;
        return 0;
      },
      fd_close: (fd: number) =>
        this.#number(() => {
          const { inode } = this.#file(fd);
          this.#open.delete(fd);
          if (inode.kind === "file") {
            inode.opens--;
            if (inode.links === 0 && inode.opens === 0) {
              store.release(inode);
            }
          }
          return 0;
        }),
      fd_seek: (fd: number, offset: bigint, whence: number, at: number) =>
        this.#number(() => {
          const file = this.#file(fd);
          const base = [0, file.position, sizeOf(file.inode)][whence] ?? 0;
          if (base + Number(offset) < 0) {
            return EINVAL;
          }
          file.position = base + Number(offset);
          this.#memory.view().setBigInt64(at, BigInt(file.position), true);
          return 0;
        }),
      fd_read: (fd: number, vectors: number, count: number, at: number) =>
        this.#transfer(fd, vectors, count, at, (node, piece, position) => store.read(node, piece, position)),
      fd_write: (fd: number, vectors: number, count: number, at: number) =>
        this.#transfer(fd, vectors, count, at, (node, piece, position) => store.write(node, piece, position)),
    };
  }

  #transfer(
    fd: number,
    vectors: number,
    count: number,
    at: number,
    move: (node: FileNode, piece: Uint8Array, position: number) => number,
  ): number {
    return this.#number(() => {
      // A query that reads and writes files is stopped here; one that only computes, from outside.
      this.#parts.state.step();
      const file = this.#file(fd);
      const node = asFile(file.inode);
      let total = 0;
      for (let i = 0; i < count; i++) {
        const view = this.#memory.view();
        const piece = this.#memory.bytes(
          view.getUint32(vectors + 8 * i, true),
          view.getUint32(vectors + 8 * i + 4, true),
        );
        const moved = move(node, piece, file.position);
        file.position += moved;
        total += moved;
        if (moved < piece.length) {
          break;
        }
      }
      this.#memory.view().setUint32(at, total, true);
      return 0;
    });
  }

  #openFile(path: string, flags: number, mode: number): number {
    const { files } = this.#parts;
    let inode = files.peek(path);
    if (inode !== null && (flags & O.CREAT) !== 0 && (flags & O.EXCL) !== 0) {
      throw new FileError("EEXIST", "open", path);
    }
    if (inode === null) {
      inode = (flags & O.CREAT) === 0 ? files.find(path, "follow", "open") : files.openFile(path, mode);
    }
    if ((flags & O.WRITES) !== 0 && inode.frozen) {
      throw new FileError("EROFS", "open", path);
    }
    if ((flags & O.WRITES) !== 0 && inode.kind === "dir") {
      throw new FileError("EISDIR", "open", path);
    }
    if (inode.kind === "file") {
      inode.opens++;
      if ((flags & O.TRUNC) !== 0) {
        files.store.truncate(inode, 0);
      }
    }
    let fd = 3;
    while (this.#open.has(fd)) {
      fd++;
    }
    this.#open.set(fd, { inode, position: 0 });
    return fd;
  }

  #stat(find: () => Inode, at: number): number {
    return this.#answer(() => {
      this.#memory.writeStat(at, find());
      return 0;
    });
  }

  #grow(size: number): number {
    const isGrown = this.#memory.grow(size, this.#parts.memoryBytes);
    if (!isGrown) {
      this.#parts.state.note("memory");
    }
    return isGrown ? 1 : 0;
  }

  #file(fd: number): OpenFile {
    const file = this.#open.get(fd);
    if (file === undefined) {
      throw new FileError("EBADF", "read");
    }
    return file;
  }

  /** System calls give a negative number for an error. */
  #answer(work: () => number): number {
    try {
      return work();
    } catch (error) {
      if (error instanceof FileError) {
        return -error.wasi;
      }
      throw error;
    }
  }

  #done(work: () => unknown): number {
    return this.#answer(() => {
      work();
      return 0;
    });
  }

  /** WASI's calls give the number itself. */
  #number(work: () => number): number {
    return Math.abs(this.#answer(work));
  }

  #path(at: number): string {
    return resolvePath(this.#parts.cwd(), this.#memory.string(at));
  }
}

function asFile(inode: Inode): FileNode {
  if (inode.kind !== "file") {
    throw new FileError(inode.kind === "dir" ? "EISDIR" : "EINVAL", "read");
  }
  return inode;
}
