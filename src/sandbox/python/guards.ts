/** Owns the calls of CPython to its platform that the sandbox answers itself: time, memory, the budget; never files. */
import type { Process } from "../box/machine.ts";
import type { Alarm } from "./alarm.ts";
import type { ImportTable } from "./emscripten.ts";
import type { LastMoment } from "./last-moment.ts";

/**
 * Replaces entries of the import table; runs before CPython is instantiated.
 * @param bytes what CPython's memory has just now
 * @returns gives back, of the memory that the run's interpreters share, what this one took
 */
export function guardImports(
  table: ImportTable,
  process: Process,
  last: LastMoment,
  alarm: Alarm,
  bytes: () => number,
): () => void {
  const { state } = process.machine;
  const resize = table.emscripten_resize_heap as (size: number) => number;
  const flush = (error: unknown) => last.signal(error);
  const due = () => alarm.signal();
  const signal = () => {
    try {
      return state.turn()?.then(due, flush) ?? alarm.signal();
    } catch (error) {
      return flush(error);
    }
  };
  let taken = 0;
  Object.assign(table, {
    _Py_CheckEmscriptenSignals_Helper: new WebAssembly.Suspending(signal),
    emscripten_resize_heap: (size: number) => {
      const before = bytes();
      // What an interpreter begins with is bounded by the number of processes; what they grow by, they share.
      const most = state.limits.memory_bytes - (before - taken);
      if (!state.budget.grow((size >>> 0) - before, most)) {
        state.note("memory");
        return 0;
      }
      taken += (size >>> 0) - before;
      return resize(size);
    },
  });
  return () => state.budget.shrink(taken);
}
