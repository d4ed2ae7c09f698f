/** Owns what all programs of one run share: files, budget, waiting, starting each other; never a language. */
import type { Vfs } from "../files/vfs.ts";
import { type RunState, Stopped } from "../run-state.ts";
import type { Process } from "./process.ts";

/** Runs one kind of program; gives its exit status. */
export type Program = (process: Process) => Promise<number>;

/** What a shell answers when it cannot start another process. */
const NO_MORE_PROCESSES = 254;

export class Machine {
  readonly files: Vfs;
  readonly state: RunState;
  readonly #programs: ReadonlyMap<string, Program>;

  constructor(files: Vfs, state: RunState, programs: ReadonlyMap<string, Program>) {
    this.files = files;
    this.state = state;
    this.#programs = programs;
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
    return await program(process);
  }

  /** Runs the program that the run is about; it does not count as one that was started. */
  async first(name: string, process: Process): Promise<number> {
    const program = this.#programs.get(name);
    if (program === undefined) {
      throw new Error(`the sandbox has no program ${name}`);
    }
    return await program(process);
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
