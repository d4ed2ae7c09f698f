/** Owns what a script says of the input and output of a program it starts (`stdio`); never the program. */
import type { FsSync } from "./fs-sync.ts";

/** What stands at 0, 1 and 2: a stream of the script's, nothing, or one of its open files by number. */
export type StandardEnds = readonly [End, End, End];
export type End = "pipe" | "ignore" | number;

/** Reads `stdio`. Throws as Node.js for what it does not know. */
export function standardEnds(stdio: unknown): StandardEnds {
  const list: readonly unknown[] = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  return [readEnd(list[0], 0), readEnd(list[1], 1), readEnd(list[2], 2)];
}

function readEnd(given: unknown, own: number): End {
  if (given === undefined || given === null || given === "pipe" || given === "overlapped") {
    return "pipe";
  }
  if (given === "ignore" || typeof given === "number") {
    return given;
  }
  if (given === "inherit") {
    return own;
  }
  const fd = typeof given === "object" ? (given as { readonly fd?: unknown }).fd : undefined;
  if (typeof fd === "number") {
    return fd;
  }
  throw Object.assign(new TypeError(`The argument 'stdio' is invalid. Received ${String(given)}`), {
    code: "ERR_INVALID_ARG_VALUE",
  });
}

/** An open file, written where the last writing ended. */
export function endOf(sync: FsSync, fd: number): { write(bytes: Uint8Array): void } {
  return { write: (bytes) => void sync.writeSync(fd, bytes) };
}
