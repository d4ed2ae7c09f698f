/** Owns how much memory a process takes that listens on one of our ports, as Linux's /proc says; never what is too much. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Looks at the process of one port; the port's next process is found anew. */
export class ProcessMemory {
  readonly #port: number;
  #pid: number | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /** Bytes of memory that the process has in use; null where nobody can tell: no process, or no /proc. */
  read(): number | null {
    const known = this.#pid === null ? null : residentBytes(this.#pid);
    if (known !== null) {
      return known;
    }
    this.#pid = childOn(this.#port);
    return this.#pid === null ? null : residentBytes(this.#pid);
  }
}

function residentBytes(pid: number): number | null {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
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
