/** Owns how the engine's host writes answers into the engine's memory: texts, times, what stat says; never what they are. */
import type { Inode } from "../files/inode.ts";
import { fullMode, sizeOf } from "../files/inode.ts";

export const PAGE = 65_536;
const ERANGE = -68;

/** Never keeps a view, since memory grows. */
export class HostMemory {
  readonly #memory: () => WebAssembly.Memory;

  constructor(memory: () => WebAssembly.Memory) {
    this.#memory = memory;
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory().buffer, at, length);
  }

  view(): DataView {
    return new DataView(this.#memory().buffer);
  }

  /** Grows to so many bytes, or a little more; false when that is more than it may have. */
  grow(size: number, most: number): boolean {
    const memory = this.#memory();
    const wanted = Math.ceil(size / PAGE) * PAGE;
    if (wanted > most) {
      return false;
    }
    const roomy = Math.min(Math.max(wanted, memory.buffer.byteLength * 1.2), most);
    memory.grow(Math.floor((roomy - memory.buffer.byteLength) / PAGE));
    return true;
  }

  /** A text that ends in NUL. */
  string(at: number): string {
    const bytes = new Uint8Array(this.#memory().buffer);
    return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
  }

  /** Writes a text with its end; gives its length with that, or ERANGE. */
  write(at: number, text: string, size: number): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    if (bytes.length > size) {
      return ERANGE;
    }
    this.bytes(at, bytes.length).set(bytes);
    return bytes.length;
  }

  /** Writes `struct stat` as Emscripten's libc has it. */
  writeStat(at: number, inode: Inode): void {
    const view = this.view();
    const size = sizeOf(inode);
    const links = inode.kind === "file" ? inode.links : 1;
    [1, fullMode(inode), links, 1000, 1000, 0].forEach((value, i) => {
      view.setUint32(at + 4 * i, value, true);
    });
    view.setBigInt64(at + 24, BigInt(size), true);
    view.setInt32(at + 32, 4096, true);
    view.setInt32(at + 36, Math.ceil(size / 512), true);
    for (const offset of [40, 56, 72]) {
      view.setBigInt64(at + offset, BigInt(Math.floor(inode.mtime / 1000)), true);
      view.setInt32(at + offset + 8, 0, true);
    }
    view.setBigInt64(at + 88, BigInt(inode.ino), true);
  }

  /** Writes what tzset(3) finds: UTC. */
  writeZone(offset: number, hasSummer: number, standard: number, summer: number): void {
    this.bytes(offset, 4).fill(0);
    this.bytes(hasSummer, 4).fill(0);
    this.write(standard, "UTC", 17);
    this.write(summer, "UTC", 17);
  }

  /** Writes `struct tm`; times of a run are UTC. Gives 1 for a time that is none. */
  writeTime(at: number, seconds: number): number {
    const date = new Date(seconds * 1000);
    if (Number.isNaN(date.getTime())) {
      return 1;
    }
    const day = Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
    const parts = [
      date.getUTCSeconds(),
      date.getUTCMinutes(),
      date.getUTCHours(),
      date.getUTCDate(),
      date.getUTCMonth(),
      date.getUTCFullYear() - 1900,
      date.getUTCDay(),
      day,
      0,
      0,
    ];
    parts.forEach((part, i) => {
      this.view().setInt32(at + 4 * i, part, true);
    });
    return 0;
  }
}
