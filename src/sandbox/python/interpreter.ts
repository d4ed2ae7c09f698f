/** Owns one CPython process from its words to its exit status; never what it may reach beyond the run it belongs to. */
import createPython from "sandbox:cpython";
import type { Process } from "../box/machine.ts";
import { Stopped } from "../run-state.ts";
import { Alarm } from "./alarm.ts";
import { Databases } from "./databases.ts";
import type { EmFs, EmModule, PythonExports } from "./emscripten.ts";
import { makeErrorsChangeable } from "./errors.ts";
import { mountRoot } from "./filesystem.ts";
import { guardImports } from "./guards.ts";
import { LastMoment } from "./last-moment.ts";
import { Memory } from "./memory.ts";
import pythonWasm from "./python.wasm";
import { standardStreams } from "./streams.ts";
import { replaceSyscalls } from "./syscalls.ts";

/** CPython's C stack is 64 KB by default, right above its data and unchecked: deeper recursion would overwrite it. */
const STACK_BYTES = 4 << 20;
const PAGE = 65_536;
/** What a process killed for memory ends with on Linux (128 + SIGKILL). */
const KILLED = 137;

const ENVIRONMENT = {
  PYTHONHOME: "/usr",
  PYTHONDONTWRITEBYTECODE: "1",
  PYTHONUTF8: "1",
};

/** Runs `python3` with the words of a process; gives its exit status. */
export async function runPython(process: Process): Promise<number> {
  let exports: PythonExports | undefined;
  let early = {} as EmModule;
  let giveBack = () => {};
  const last = new LastMoment(process.machine.state);
  const alarm = new Alarm();
  const databases = new Databases();
  const room = process.machine.room.part();
  const module = await createPython({
    noInitialRun: true,
    thisProgram: "/usr/bin/python3",
    preRun: (module) => setEnvironment(module, process),
    print: () => undefined,
    printErr: () => undefined,
    instantiateWasm: (imports, done) => {
      const memory = new Memory(() => exports);
      giveBack = guardImports(imports.env, process, last, alarm, () => memory.size);
      makeErrorsChangeable(imports.env, memory);
      replaceSyscalls(imports.env, {
        process,
        memory,
        fs: () => early.FS,
        names: () => early.DNS,
        last,
        alarm,
        databases,
        room,
      });
      const instance = new WebAssembly.Instance(pythonWasm, imports as unknown as WebAssembly.Imports);
      exports = instance.exports as unknown as PythonExports;
      done(instance);
    },
  });
  if (exports === undefined) {
    throw new Error("python.wasm gave no exports");
  }
  early = module;
  const python = exports;
  module.DNS.address_map.addrs.localhost = "127.0.0.1";
  mountRoot(module.FS, process.machine.files, (size) => pages(python, size));
  standardStreams(module.FS, process);
  module.FS.chdir(process.cwd);
  try {
    return await main(exports, process, module.FS);
  } finally {
    databases.close();
    giveBack();
    room.close();
  }
}

async function main(exports: PythonExports, process: Process, fs: EmFs): Promise<number> {
  exports._emscripten_stack_restore((exports.malloc(STACK_BYTES) + STACK_BYTES) & ~15);
  // Asks CPython to call the signal helper every few bytecodes, where the run's budget is looked at.
  new DataView(exports.memory.buffer).setUint32(Number(exports.Py_EMSCRIPTEN_SIGNAL_HANDLING.value), 1, true);
  const { argc, argv } = writeWords(exports, ["/usr/bin/python3", ...process.args]);
  const start = WebAssembly.promising(exports.__main_argc_argv);
  try {
    const status = await start(argc, argv);
    exports.fflush(0);
    return status;
  } catch (error) {
    return exitStatus(error, exports, process);
  } finally {
    fs.streams.length = 0;
  }
}

function pages(exports: PythonExports, size: number): { pointer: number; bytes: Uint8Array } {
  const pointer = exports.emscripten_builtin_memalign(PAGE, Math.ceil(size / PAGE) * PAGE);
  return { pointer, bytes: new Uint8Array(exports.memory.buffer, pointer, size) };
}

function exitStatus(error: unknown, exports: PythonExports, process: Process): number {
  if (error instanceof Stopped) {
    throw error;
  }
  if (typeof error === "object" && error !== null && "status" in error && typeof error.status === "number") {
    exports.fflush(0);
    return error.status & 0xff;
  }
  process.machine.state.throwIfStopped();
  process.stderr.writeText(`Fatal Python error: ${error instanceof Error ? error.message : String(error)}\n`);
  return KILLED;
}

function setEnvironment(module: EmModule, process: Process): void {
  Object.assign(module.ENV, { USER: "agent", LOGNAME: "agent", LANG: "C.UTF-8", ...process.env, ...ENVIRONMENT });
}

function writeWords(exports: PythonExports, words: readonly string[]): { argc: number; argv: number } {
  const encoded = words.map((word) => new TextEncoder().encode(word));
  const argv = exports.malloc((words.length + 1) * 4);
  const pointers = encoded.map((bytes) => {
    const pointer = exports.malloc(bytes.length + 1);
    const heap = new Uint8Array(exports.memory.buffer);
    heap.set(bytes, pointer);
    heap[pointer + bytes.length] = 0;
    return pointer;
  });
  new Uint32Array(exports.memory.buffer, argv, words.length + 1).set([...pointers, 0]);
  return { argc: words.length, argv };
}
