/** Owns the sandbox's own build of CPython in this process, to compile with; never runs a script. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** CPython's glue, as far as compiling needs it. */
interface PythonModule {
  readonly FS: {
    mkdirTree(path: string): void;
    writeFile(path: string, bytes: Uint8Array): void;
    readFile(path: string): Uint8Array;
  };
  callMain(args: readonly string[]): number;
}

/** An interpreter that runs one program. */
export interface Python {
  readonly FS: PythonModule["FS"];
  /** Throws with `failure` and what the program printed when it ends with anything but 0. */
  run(source: string, failure: string): void;
}

const STACK_BYTES = 4 << 20;

/** From the package's entry to its build of CPython, which it does not export. */
const CPYTHON_FROM_MAIN = "../../vendor/cpython-emscripten";

const require = createRequire(import.meta.url);
let compiled: WebAssembly.Module | null = null;

/** Where the sandbox's CPython lies. */
export function cpythonDirectory(): string {
  return join(dirname(require.resolve("just-bash")), CPYTHON_FROM_MAIN);
}

/** Starts CPython with its library at `/lib/python313.zip`. */
export async function startPython(): Promise<Python> {
  const directory = cpythonDirectory();
  const words: string[] = [];
  let exports: { malloc(size: number): number; _emscripten_stack_restore(pointer: number): void } | undefined;
  const create = require(join(directory, "python.cjs")) as (options: object) => Promise<PythonModule>;
  compiled ??= new WebAssembly.Module(new Uint8Array(readFileSync(join(directory, "python.wasm"))));
  const program = compiled;
  const module = await create({
    noInitialRun: true,
    preRun: (module: { ENV: Record<string, string> }) =>
      Object.assign(module.ENV, { PYTHONHOME: "/usr", PYTHONPATH: "/lib/python313.zip" }),
    print: (line: string) => words.push(line),
    printErr: (line: string) => words.push(line),
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => void) => {
      const instance = new WebAssembly.Instance(program, imports);
      exports = instance.exports as unknown as typeof exports;
      done(instance);
    },
  });
  // As in src/sandbox/python/interpreter.ts: the stack that comes with it is too small for deep sources, and unchecked.
  exports?._emscripten_stack_restore((exports.malloc(STACK_BYTES) + STACK_BYTES) & ~15);
  module.FS.mkdirTree("/lib");
  module.FS.writeFile("/lib/python313.zip", readFileSync(join(directory, "python313.zip")));
  return {
    FS: module.FS,
    run(source, failure) {
      if (module.callMain(["-S", "-c", source]) !== 0) {
        throw new Error(`${failure}:\n${words.join("\n")}`);
      }
    },
  };
}
