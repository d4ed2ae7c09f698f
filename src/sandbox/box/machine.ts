/** Owns what all programs of one run share: files, budget, waiting, starting each other; never a language. */
import type { Vfs } from "../files/vfs.ts";
import { bringWhere } from "../files/visit.ts";
import type { Sink } from "../output.ts";
import type { Loopback } from "../python/loopback.ts";
import { Room } from "../room.ts";
import { type RunState, Stopped } from "../run-state.ts";
import type { Engine } from "../sqlite/engine.ts";
import { startEngine } from "../sqlite/start.ts";
import { Bell } from "./bell.ts";

/** One program: words, surroundings, streams. */
export interface Process {
  readonly machine: Machine;
  /** Words after the program's name. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** Runs one kind of program; gives its exit status. */
export type Program = (process: Process) => Promise<number>;

/** What a shell answers when it cannot start another process. */
const NO_MORE_PROCESSES = 254;

/** How long programs may take to end once they are stopped. */
const WIND_UP_MS = 200;

/** Asks the network of a run. */
export type Network = (request: Request) => Promise<Response>;

/** Runs a packed script of the skill as `node` does; null when the path is none. */
export type RunNode = (path: string, process: Process) => Promise<number> | null;

export interface MachineParts {
  readonly files: Vfs;
  readonly state: RunState;
  readonly programs: ReadonlyMap<string, Program>;
  readonly network: Network;
  readonly loopbackPorts: ReadonlySet<number>;
  readonly node: RunNode;
}

export class Machine {
  readonly files: Vfs;
  readonly state: RunState;
  /** Rings when a pipe, a socket or a process may have become ready. */
  readonly bell = new Bell();
  /** For bytes on their way between programs: as databases do, they may take half of the run's memory beside what Python takes. */
  readonly room: Room;
  /** Who listens inside the run. */
  readonly loopback: Loopback = new Map();
  /** Ports of 127.0.0.1 where the network of the run may be reached, unless somebody listens inside. */
  readonly loopbackPorts: ReadonlySet<number>;
  readonly #programs: ReadonlyMap<string, Program>;
  readonly #network: Network;
  readonly #running = new Set<Promise<number>>();
  /** JavaScript has isolates of its own. */
  readonly node: RunNode;
  #engine: Promise<Engine> | undefined;

  constructor(parts: MachineParts) {
    this.files = parts.files;
    this.state = parts.state;
    this.room = new Room(parts.state.limits.memory_bytes / 2, () => parts.state.note("memory"));
    this.#programs = parts.programs;
    this.#network = parts.network;
    this.loopbackPorts = parts.loopbackPorts;
    this.node = parts.node;
  }

  /** The answer to a request, or null when the run may not reach there. */
  async fetch(request: Request): Promise<Response | null> {
    this.state.throwIfStopped();
    try {
      const response = await this.untilStopped(this.#network(request));
      if (response.status !== 403 || response.headers.get("x-egress") !== "refused") {
        return response;
      }
      this.state.note("network");
    } catch {
      this.state.throwIfStopped();
    }
    return null;
  }

  /** The database engine of the run, started when it is first asked for. */
  engine(): Promise<Engine> {
    // It opens files without waiting.
    this.#engine ??= bringWhere(this.files, () => true).then(() => startEngine(this.files, this.state));
    return this.#engine;
  }

  /** True when there is such a program. */
  has(name: string): boolean {
    return this.#programs.has(name);
  }

  /** Starts a program by its name and waits for its end; 127 when there is no such program. */
  async start(name: string, process: Process): Promise<number> {
    this.state.throwIfStopped();
    const program = this.#programs.get(name);
    if (program === undefined) {
      process.stderr.writeText(`${name}: command not found\n`);
      return 127;
    }
    if (!this.state.spawn()) {
      process.stderr.writeText(`${name}: fork: Resource temporarily unavailable\n`);
      return NO_MORE_PROCESSES;
    }
    return await this.#run(program, process);
  }

  /** Runs the program that the run is about; it does not count as one that was started. */
  async first(name: string, process: Process): Promise<number> {
    const program = this.#programs.get(name);
    if (program === undefined) {
      throw new Error(`the sandbox has no program ${name}`);
    }
    return await this.#run(program, process);
  }

  /** Waits for programs that were stopped to hand on what they have printed, though not for long. */
  async wound(): Promise<void> {
    await this.atOnce(Promise.allSettled(this.#running));
  }

  /** A promise's value, if it is there while programs may still end; null when it is not. */
  async atOnce<T>(promise: Promise<T>): Promise<T | null> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), WIND_UP_MS);
    });
    return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  async #run(program: Program, process: Process): Promise<number> {
    const running = program(process);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** A promise's value, unless the run is stopped first. */
  untilStopped<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this.state;
    if (signal.aborted) {
      return Promise.reject(signal.reason);
    }
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  /** Waits, but not longer than the run may last. */
  sleep(ms: number): Promise<void> {
    const { signal } = this.state;
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(new Stopped("stopped while waiting"));
      };
      const done = () => {
        signal.removeEventListener("abort", stop);
        resolve();
      };
      // A negative time waits for ever, that is until the wall clock ends the run.
      const timer = setTimeout(done, ms < 0 ? this.state.limits.timeout_ms : ms);
      if (signal.aborted) {
        stop();
      } else {
        signal.addEventListener("abort", stop, { once: true });
      }
    });
  }
}
