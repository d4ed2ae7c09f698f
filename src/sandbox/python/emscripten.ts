/** Owns the shape of what CPython's Emscripten glue hands out, as far as the sandbox touches it; never any behaviour. */

export interface EmNode {
  id: number;
  name: string;
  mode: number;
  parent: EmNode;
  mount: EmMount;
  mounted: EmMount | null;
  node_ops: Record<string, unknown>;
  stream_ops: StreamOps;
}

export interface EmMount {
  type: unknown;
  opts: object;
  mountpoint: string;
  mounts: EmMount[];
  root: EmNode;
}

export interface EmStream {
  fd: number | null;
  node: EmNode;
  flags: number;
  position: number;
  path: string;
  seekable: boolean;
  stream_ops: StreamOps;
  /** Refcount that duplicates of a stream share. */
  shared: { refcount?: number };
}

export interface StreamOps {
  open?(stream: EmStream): void;
  close?(stream: EmStream): void;
  dup?(stream: EmStream): void;
  read?(stream: EmStream, buffer: Int8Array, offset: number, length: number, position: number): number;
  write?(stream: EmStream, buffer: Int8Array, offset: number, length: number, position: number): number;
  llseek?(stream: EmStream, offset: number, whence: number): number;
  poll?(stream: EmStream, timeout: number): number;
  mmap?(
    stream: EmStream,
    length: number,
    position: number,
    prot: number,
    flags: number,
  ): { ptr: number; allocated: boolean };
  msync?(stream: EmStream, buffer: Uint8Array, offset: number, length: number, flags: number): number;
}

export interface EmFs {
  /** The process's own, where it has set one. */
  umask?: number;
  root: EmNode;
  currentPath: string;
  streams: (EmStream | null)[];
  ErrnoError: new (errno: number) => Error;
  FSNode: new (parent: EmNode | null, name: string, mode: number, rdev: number) => EmNode;
  lookupNode(parent: EmNode, name: string): EmNode;
  hashAddNode(node: EmNode): void;
  hashRemoveNode(node: EmNode): void;
  createStream(stream: Partial<EmStream>, fd?: number): EmStream;
  getStream(fd: number): EmStream | null | undefined;
  closeStream(fd: number): void;
  nextfd(): number;
  chdir(path: string): void;
  open(path: string, flags: number): EmStream;
  makedev(major: number, minor: number): number;
  registerDevice(dev: number, ops: StreamOps): void;
  mkdev(path: string, mode: number, dev: number): EmNode;
}

type WasmFunction = (...args: number[]) => number;

/** Exports of python.wasm that are called by name. */
export interface PythonExports {
  readonly memory: WebAssembly.Memory;
  readonly __main_argc_argv: WasmFunction;
  readonly malloc: (size: number) => number;
  readonly emscripten_builtin_memalign: (alignment: number, size: number) => number;
  readonly fflush: (file: number) => number;
  readonly _emscripten_stack_restore: (pointer: number) => void;
  readonly Py_EMSCRIPTEN_SIGNAL_HANDLING: WebAssembly.Global;
}

/** One import table; `env` and `wasi_snapshot_preview1` are the same object in this build. */
export type ImportTable = Record<string, (...args: never[]) => unknown>;

/** The names that getaddrinfo was asked for, by the made-up address it gave. */
export interface EmNames {
  /** `id` is how many there are, and one more. */
  readonly address_map: { readonly id: number; readonly addrs: Record<string, string> };
  lookup_addr(address: string): string | null;
}

export interface EmModule {
  /** Handed out by scripts/sandbox-patches.ts. */
  readonly DNS: EmNames;
  readonly FS: EmFs;
  readonly ENV: Record<string, string>;
}

export interface EmOptions {
  noInitialRun: boolean;
  thisProgram: string;
  preRun: (module: EmModule) => void;
  print: (text: string) => void;
  printErr: (text: string) => void;
  instantiateWasm: (
    imports: { env: ImportTable; wasi_snapshot_preview1: ImportTable },
    done: (instance: WebAssembly.Instance) => void,
  ) => void;
}

/** @public the type of the module `sandbox:cpython` (modules.d.ts) */
export type CreatePython = (options: EmOptions) => Promise<EmModule>;
