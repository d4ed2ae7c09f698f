/** Owns the streams `process.stdin`, `process.stdout` and `process.stderr`; never where their bytes come from and go. */
import { builtin } from "./builtins.ts";
import { lateClass, type OldClass } from "./late-class.ts";
import type { Loop } from "./loop.ts";
import { wrongType } from "./received.ts";
import { bytesOf } from "./text-bytes.ts";
import type { Guard } from "./timers.ts";

/** `process.stdin` */
export function makeStdin(bytes: Uint8Array, loop: Loop) {
  const { Readable } = builtin("stream");
  let rest: Uint8Array | null = bytes;
  let release: (() => void) | null = null;
  const stdin = new Readable({
    read() {
      release ??= loop.hold();
      const piece = rest;
      rest = null;
      if (piece !== null && piece.length > 0) {
        this.push(Buffer.from(piece));
      } else {
        this.push(null);
      }
    },
  });
  const done = () => release?.();
  stdin.once("end", done).once("close", done);
  return Object.assign(stdin, {
    fd: 0,
    isTTY: undefined,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
}

/** `process.stdout` and `process.stderr` */
export function makeOutput(fd: number, write: (bytes: Uint8Array) => void, guard: Guard) {
  // What is written is kept at once, in order with what `console` and `fs.writeSync` print.
  const put = (chunk: unknown, encoding?: unknown, callback?: unknown): boolean => {
    if (chunk === null) {
      throw Object.assign(new TypeError("May not write null values to stream"), { code: "ERR_STREAM_NULL_VALUES" });
    }
    if (typeof chunk !== "string" && !ArrayBuffer.isView(chunk)) {
      throw wrongType("chunk", "of type string or an instance of Buffer, TypedArray, or DataView", chunk);
    }
    const bytes =
      typeof chunk === "string"
        ? bytesOf(chunk, encoding)
        : new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    write(bytes);
    const done = typeof encoding === "function" ? encoding : callback;
    if (typeof done === "function") {
      queueMicrotask(() => guard(() => done()));
    }
    return true;
  };
  const stream = {
    fd,
    isTTY: undefined,
    columns: undefined,
    write: put,
    _write: (chunk: Uint8Array, _encoding: string, callback: () => void) => {
      write(chunk);
      callback();
    },
    end: (chunk?: unknown, encoding?: unknown, callback?: unknown) => {
      if (chunk !== undefined && chunk !== null && typeof chunk !== "function") {
        put(chunk, encoding, callback);
      }
      return stream;
    },
    _destroy: () => undefined,
  };
  lateClass(stream, () => builtin("stream").Writable as unknown as OldClass, { decodeStrings: true });
  return stream;
}
