/** Owns one instance of SQLite's engine, one per run: calls, texts in its memory, errors; never a transaction's rules or anybody's protocol. */
import type { Vfs } from "../files/vfs.ts";
import type { RunState } from "../run-state.ts";
import { type HostExports, hostImports } from "./host.ts";

export const SQLITE = { ROW: 100, DONE: 101, RANGE: 25, NOMEM: 7, INTERRUPT: 9, ABORT: 4 } as const;

type Call = (...args: number[]) => number;

interface EngineExports extends HostExports {
  readonly malloc: Call;
  readonly free: Call;
  readonly emscripten_stack_init: () => void;
  readonly emscripten_stack_get_base: () => number;
  readonly emscripten_stack_get_end: () => number;
  readonly __set_stack_limits: (base: number, end: number) => void;
  readonly __wasm_call_ctors: () => void;
  readonly sqlite3_open: Call;
  readonly sqlite3_close_v2: Call;
  readonly sqlite3_prepare_v2: Call;
  readonly sqlite3_step: Call;
  readonly sqlite3_reset: Call;
  readonly sqlite3_finalize: Call;
  readonly sqlite3_clear_bindings: Call;
  readonly sqlite3_bind_blob: Call;
  readonly sqlite3_bind_double: Call;
  readonly sqlite3_bind_int: Call;
  readonly sqlite3_bind_int64: (statement: number, at: number, value: bigint) => number;
  readonly sqlite3_bind_text: Call;
  readonly sqlite3_bind_parameter_index: Call;
  readonly sqlite3_column_count: Call;
  readonly sqlite3_column_name: Call;
  readonly sqlite3_column_type: Call;
  readonly sqlite3_column_double: Call;
  readonly sqlite3_column_text: Call;
  readonly sqlite3_column_blob: Call;
  readonly sqlite3_column_bytes: Call;
  readonly sqlite3_changes: Call;
  readonly sqlite3_errmsg: Call;
  readonly sqlite3_extended_errcode: Call;
  readonly sqlite3_backup_init: Call;
  readonly sqlite3_backup_step: Call;
  readonly sqlite3_backup_finish: Call;
}

/** What SQLite refused. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  /** SQLite's extended result code. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The engine is of no use once a call of it was broken off in its midst. */
export class EngineLost extends Error {
  override readonly name = "EngineLost";
}

export class Engine {
  /** Where names begin that are not absolute; whoever calls sets it. */
  cwd = "/";
  readonly #state: RunState;
  #exports: EngineExports | undefined;
  #lost = false;

  /** @param memoryBytes that the engine may have */
  constructor(module: WebAssembly.Module, files: Vfs, state: RunState, memoryBytes: number) {
    this.#state = state;
    const exports = (): EngineExports => {
      if (this.#exports === undefined) {
        throw new Error("the engine has no memory yet");
      }
      return this.#exports;
    };
    const imports = hostImports({ files, state, exports, memoryBytes, cwd: () => this.cwd });
    const instance = new WebAssembly.Instance(module, imports).exports as unknown as EngineExports;
    this.#exports = instance;
    instance.emscripten_stack_init();
    instance.__set_stack_limits(instance.emscripten_stack_get_base(), instance.emscripten_stack_get_end());
    instance.__wasm_call_ctors();
  }

  /** Calls the engine. One whose call was broken off is never called again: its memory may be in any state. */
  call<T>(work: (exports: EngineExports) => T): T {
    this.#state.throwIfStopped();
    if (this.#lost || this.#exports === undefined) {
      throw new EngineLost("the database engine was broken off");
    }
    try {
      return work(this.#exports);
    } catch (error) {
      if (!(error instanceof SqlError)) {
        this.#lost = true;
      }
      throw error;
    }
  }

  /** Counts a step of the run's budget; throws once the run has to end. */
  tick(): void {
    this.#state.step();
  }

  /** Puts bytes where the engine sees them, with a NUL behind them, for the length of a call. */
  lend<T>(bytes: Uint8Array, work: (pointer: number, length: number) => T): T {
    const pointer = this.call((exports) => exports.malloc(bytes.length + 1));
    if (pointer === 0) {
      throw new SqlError(SQLITE.NOMEM, "out of memory");
    }
    this.bytes(pointer, bytes.length + 1).set([0], bytes.length);
    this.bytes(pointer, bytes.length).set(bytes);
    try {
      return work(pointer, bytes.length);
    } finally {
      if (!this.#lost) {
        this.#exports?.free(pointer);
      }
    }
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory(), at, length);
  }

  word(at: number): number {
    return new DataView(this.#memory()).getUint32(at, true);
  }

  /** A text that ends in NUL. */
  text(at: number): string {
    if (at === 0) {
      return "";
    }
    const all = new Uint8Array(this.#memory());
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  }

  #memory(): ArrayBuffer {
    return this.#exports?.memory.buffer as ArrayBuffer;
  }
}
