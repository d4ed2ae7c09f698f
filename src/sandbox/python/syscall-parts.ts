/** Owns what the sandbox's system calls work with: the process, its descriptors, its memory, its names; never a call. */
import type { Process } from "../box/machine.ts";
import type { Room } from "../room.ts";
import type { Alarm } from "./alarm.ts";
import type { Databases } from "./databases.ts";
import type { EmFs, EmNames } from "./emscripten.ts";
import type { LastMoment } from "./last-moment.ts";
import type { Memory } from "./memory.ts";

export interface SyscallParts {
  readonly process: Process;
  readonly fs: () => EmFs;
  readonly memory: Memory;
  readonly names: () => EmNames;
  readonly last: LastMoment;
  readonly alarm: Alarm;
  readonly databases: Databases;
  /** For bytes that wait in its pipes and sockets. */
  readonly room: Room;
}
