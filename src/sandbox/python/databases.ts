/** Owns the descriptor through which Python's sqlite3 (site/_sqlite3.py) asks the database engine; never what is asked. */

import { joinBytes } from "../../model/bytes.ts";
import type { Process } from "../box/machine.ts";
import type { Room } from "../room.ts";
import { Door } from "../sqlite/door.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { EmFs } from "./emscripten.ts";
import { type Endpoint, ERRNO, Errno, openEndpoint, POLL } from "./endpoints.ts";

/** The databases of one Python process. */
export class Databases {
  readonly #doors: Door[] = [];

  /** Opens a descriptor: each write is a question, after which its answer can be read, with its length before it. */
  async open(process: Process, fs: () => EmFs, room: Room): Promise<number> {
    const engine = await process.machine.engine();
    const door = new Door(engine, () => fs().currentPath);
    this.#doors.push(door);
    return openEndpoint(fs(), new DoorEndpoint(door, room), "socket", 2);
  }

  /** The process has ended. */
  close(): void {
    for (const door of this.#doors) {
      door.close();
    }
  }
}

class DoorEndpoint implements Endpoint {
  readonly #door: Door;
  readonly #answers: ByteQueue;

  constructor(door: Door, room: Room) {
    this.#door = door;
    this.#answers = new ByteQueue(room);
  }

  read(into: Uint8Array): number {
    return this.#answers.take(into);
  }

  write(bytes: Uint8Array): void {
    if (this.#answers.length > 0) {
      throw new Errno(ERRNO.EINVAL);
    }
    const answer = new TextEncoder().encode(this.#door.answer(new TextDecoder().decode(bytes)));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, answer.length, true);
    if (!this.#answers.push(joinBytes([length, answer]))) {
      throw new Errno(ERRNO.ENOMEM);
    }
  }

  poll(): number {
    return POLL.OUT | POLL.IN;
  }

  retain(): void {
    // The databases stay open until the process ends.
  }

  release(): void {
    // As above.
  }
}
