/** Owns what a process uses that listens on one of our ports, as Linux's /proc says: memory and CPU time; never what is too much. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** How many of the ticks that /proc counts CPU time in make a second. */
const TICKS_PER_SECOND = 100;

/** Looks at the process of one port; the port's next process is found anew. */
export class ProcessUse {
  readonly #port: number;
  #pid: number | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Bytes of memory that the process has in use; null where nobody can tell: no process, or no /proc. */
  memory(): number | null {
    return this.#read(residentBytes);
  }

  /** Milliseconds of CPU time that the process has had so far, all of its threads together; null where nobody can tell. */
  cpu(): number | null {
    return this.#read(computedMs);
  }

  #read(what: (pid: number) => number | null): number | null {
    const known = this.#pid === null ? null : what(this.#pid);
    if (known !== null) {
      return known;
    }
    this.#pid = childOn(this.#port);
    return this.#pid === null ? null : what(this.#pid);
  }
}

function residentBytes(pid: number): number | null {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

function computedMs(pid: number): number | null {
  // Behind the name in brackets: the state, then numbers; the twelfth and thirteenth of all are the process's own code and the system's for it.
  const [, words] = /\) (.*)/.exec(textOf(`/proc/${pid}/stat`)) ?? [];
  const [user, system] = words?.split(" ").slice(11, 13).map(Number) ?? [];
  return user === undefined || system === undefined ? null : ((user + system) * 1_000) / TICKS_PER_SECOND;
}

/** Which child of this process listens on a port of 127.0.0.1. */
function childOn(port: number): number | null {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = textOf("/proc/self/net/tcp").split("\n");
  const listening = rows.map((row) => row.trim().split(/\s+/)).find((row) => row[1] === address && row[3] === "0A");
  const socket = listening === undefined ? null : `socket:[${listening[9]}]`;
  return socket === null ? null : (children().find((pid) => holds(pid, socket)) ?? null);
}

function children(): number[] {
  const threads = namesIn("/proc/self/task");
  return threads.flatMap((thread) => {
    const pids = textOf(`/proc/self/task/${thread}/children`).split(" ");
    return pids.filter((pid) => pid !== "").map(Number);
  });
}

function holds(pid: number, socket: string): boolean {
  return namesIn(`/proc/${pid}/fd`).some((name) => linkOf(`/proc/${pid}/fd/${name}`) === socket);
}

const textOf = (path: string) => orElse("", () => readFileSync(path, "utf8"));
const namesIn = (path: string) => orElse<string[]>([], () => readdirSync(path));
const linkOf = (path: string) => orElse("", () => readlinkSync(path));

/** What is read of a process may be gone by then, or was never there. */
function orElse<T>(other: T, read: () => T): T {
  try {
    return read();
  } catch {
    return other;
  }
}
