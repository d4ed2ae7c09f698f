/** Owns reading and writing numbers and texts in CPython's memory; never keeps a view, since memory grows. */
import type { PythonExports } from "./emscripten.ts";

export class Memory {
  readonly #exports: () => PythonExports | undefined;

  constructor(exports: () => PythonExports | undefined) {
    this.#exports = exports;
  }

  /** Bytes that it has. */
  get size(): number {
    return this.#buffer().byteLength;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#buffer(), at, length);
  }

  read8(at: number): number {
    return this.#view().getUint8(at);
  }
  read16(at: number): number {
    return this.#view().getUint16(at, true);
  }
  /** Big-endian, as ports travel. */
  readPort(at: number): number {
    return this.#view().getUint16(at, false);
  }
  read32(at: number): number {
    return this.#view().getInt32(at, true);
  }
  i32(at: number, value: number): void {
    this.#view().setInt32(at, value, true);
  }
  i16(at: number, value: number): void {
    this.#view().setInt16(at, value, true);
  }
  writePort(at: number, value: number): void {
    this.#view().setUint16(at, value, false);
  }

  /** A text that ends in NUL. */
  text(at: number): string {
    const all = new Uint8Array(this.#buffer());
    return new TextDecoder().decode(all.subarray(at, all.indexOf(0, at)));
  }

  #buffer(): ArrayBuffer {
    const buffer = this.#exports()?.memory.buffer;
    if (buffer === undefined) {
      throw new Error("CPython has no memory yet");
    }
    return buffer as ArrayBuffer;
  }

  #view(): DataView {
    return new DataView(this.#buffer());
  }
}
