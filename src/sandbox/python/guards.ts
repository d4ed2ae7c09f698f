/** Owns the calls of CPython to its platform that the sandbox answers itself: time, memory, the budget; never files. */
import type { Process } from "../box/machine.ts";
import type { ImportTable } from "./emscripten.ts";
import type { LastMoment } from "./last-moment.ts";

const noSignal = () => 0;

/** Replaces entries of the import table; runs before CPython is instantiated. */
export function guardImports(table: ImportTable, process: Process, last: LastMoment): void {
  const { state } = process.machine;
  const resize = table.emscripten_resize_heap as (size: number) => number;
  const flush = (error: unknown) => last.signal(error);
  const signal = () => {
    try {
      return state.turn()?.then(noSignal, flush) ?? 0;
    } catch (error) {
      return flush(error);
    }
  };
  Object.assign(table, {
    _Py_CheckEmscriptenSignals_Helper: new WebAssembly.Suspending(signal),
    emscripten_resize_heap: (size: number) => {
      if (size >>> 0 > state.limits.memory_bytes) {
        state.note("memory");
        return 0;
      }
      return resize(size);
    },
  });
}
