/**
 * Owns the one change that CPython does not let its own code make: `OSError` gets words of its own (site/_sandbox_errors.py). A built-in type
 * is marked as unchangeable; site/sitecustomize.py asks through a call of `fchmod` with a mode that means nothing that the mark be taken away.
 */
import type { ImportTable } from "./emscripten.ts";
import type { Memory } from "./memory.ts";

const MARK = 0x4f58;
/** Where a type has its flags, and the flag: CPython's Include/cpython/object.h, at 4 bytes a word. */
const FLAGS_AT = 84;
const UNCHANGEABLE = 1 << 8;

/** Listens for the question; once, so that no script can ask it. What it changes lies in the process's own memory anyhow. */
export function makeErrorsChangeable(table: ImportTable, memory: Memory): void {
  const original = table.__syscall_fchmod as (fd: number, mode: number) => number;
  let asked = false;
  const fchmod = (fd: number, mode: number): number => {
    if (asked || mode !== MARK) {
      return original(fd, mode);
    }
    asked = true;
    memory.i32(fd + FLAGS_AT, memory.read32(fd + FLAGS_AT) & ~UNCHANGEABLE);
    return 0;
  };
  Object.assign(table, { __syscall_fchmod: fchmod });
}
