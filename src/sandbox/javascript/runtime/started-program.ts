/** Owns one program of the sandbox that a script has started, as Node.js shows it; never how scripts ask for one. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { abortError } from "./aborted.ts";
import type { FsSync } from "./fs-sync.ts";
import type { Loop } from "./loop.ts";
import { endOf, type StandardEnds, standardEnds } from "./program-ends.ts";
import { signalOf } from "./signals.ts";

export interface SpawnRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
}

export interface SpawnResult {
  readonly status: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Runs a program of the sandbox on the run's files. */
export type Spawn = (request: SpawnRequest) => Promise<SpawnResult>;

/** The script that starts it. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: { write(bytes: Uint8Array): unknown };
  readonly stderr: { write(bytes: Uint8Array): unknown };
  cwd(): string;
}

/** What programs of one script have in common. */
export interface Means {
  readonly spawn: Spawn;
  readonly loop: Loop;
  readonly around: Surroundings;
  readonly sync: () => FsSync;
  /** Programs that have not ended, by their numbers. */
  readonly running: Map<number, { kill(signal?: string | number): boolean }>;
}

export interface SpawnOptions {
  readonly cwd?: string | URL | undefined;
  readonly env?: Record<string, string> | undefined;
  readonly shell?: boolean | string | undefined;
  readonly stdio?: unknown;
  readonly encoding?: string | null | undefined;
  readonly timeout?: number | undefined;
  readonly killSignal?: string | number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly maxBuffer?: number | undefined;
}

/** How long a program waits for the end of an input that the script has looked at. */
const INPUT_MS = 50;

let lastPid = 1;

export class ChildProcess extends EventEmitter {
  readonly pid = ++lastPid;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  readonly spawnfile: string;
  readonly spawnargs: readonly string[];
  exitCode: number | null = null;
  signalCode: string | null = null;
  killed = false;
  readonly connected = false;
  readonly #means: Means;
  readonly #release: () => void;
  readonly #ends: StandardEnds;
  readonly #stdin: Writable | null;
  readonly #input: Uint8Array[] = [];
  #begun = false;
  #inputTimer: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #begin: () => void;

  /** @param shown the words as the script sees them */
  constructor(argv: readonly string[], shown: readonly string[], options: SpawnOptions, means: Means) {
    super();
    this.#means = means;
    this.#ends = standardEnds(options.stdio);
    this.#release = means.loop.hold();
    this.spawnargs = shown;
    this.spawnfile = shown[0] ?? "";
    const [stdin, stdout, stderr] = this.#ends;
    const output = (end: string | number) => (end === "pipe" ? new Readable({ read: () => undefined }) : null);
    this.stdout = output(stdout);
    this.stderr = output(stderr);
    this.#stdin = stdin === "pipe" ? this.#makeStdin() : null;
    this.#begin = () => void this.#run(argv, options);
    means.running.set(this.pid, this);
    this.#stopWith(options);
    this.#beginAfter(1);
  }

  /** Who looks at it may be about to write: the program begins when that has ended. */
  get stdin(): Writable | null {
    if (!this.#begun && this.#stdin !== null) {
      this.#beginAfter(INPUT_MS);
    }
    return this.#stdin;
  }

  get stdio(): readonly (Writable | Readable | null)[] {
    return [this.stdin, this.stdout, this.stderr];
  }

  /** The program goes on unheard in the sandbox: nothing can stop it there before its time is over. */
  kill(signal: string | number = "SIGTERM"): boolean {
    const { name, number } = signalOf(signal);
    if (this.exitCode !== null || this.signalCode !== null) {
      return false;
    }
    if (number === 0 || name === undefined) {
      return true;
    }
    this.killed = true;
    this.signalCode = name;
    this.#endOutput();
    setTimeout(() => this.#end(null, this.signalCode), 0);
    return true;
  }
  ref(): void {}
  unref(): void {}
  disconnect(): void {}
  [Symbol.dispose](): void {
    this.kill();
  }

  #makeStdin(): Writable {
    return new Writable({
      write: (chunk: Uint8Array, _encoding, callback) => {
        if (this.#begun) {
          callback(Object.assign(new Error(`write EPIPE: ${TOO_LATE}`), PIPE_FACTS));
          return;
        }
        this.#input.push(chunk);
        this.#beginAfter(INPUT_MS);
        callback();
      },
      final: (callback) => {
        this.#beginOnce();
        callback();
      },
    });
  }

  #beginAfter(ms: number): void {
    clearTimeout(this.#inputTimer);
    this.#inputTimer = setTimeout(() => this.#beginOnce(), ms);
  }

  #beginOnce(): void {
    clearTimeout(this.#inputTimer);
    if (!this.#begun) {
      this.#begun = true;
      this.#begin();
    }
  }

  /** Ends it when its time is over, or when somebody says so. */
  #stopWith({ timeout, killSignal, signal }: SpawnOptions): void {
    if (timeout !== undefined && timeout > 0) {
      this.#timer = setTimeout(() => this.kill(killSignal), timeout);
    }
    const abort = () => {
      if (this.kill(killSignal)) {
        this.emit("error", abortError(signal));
      }
    };
    if (signal?.aborted === true) {
      setTimeout(abort, 0);
    }
    signal?.addEventListener("abort", abort);
  }

  #endOutput(): void {
    for (const stream of [this.stdout, this.stderr]) {
      if (stream !== null && !stream.readableEnded) {
        stream.push(null);
      }
    }
  }

  #end(status: number | null, signal: string | null): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#inputTimer);
    this.#means.running.delete(this.pid);
    this.#stdin?.destroy();
    this.emit("exit", status, signal);
    setTimeout(() => {
      this.emit("close", status, signal);
      this.#release();
    }, 1);
  }

  async #run(argv: readonly string[], options: SpawnOptions) {
    const { around, spawn, sync } = this.#means;
    try {
      const cwd = options.cwd === undefined ? around.cwd() : directoryOf(options.cwd, around.cwd());
      if (sync().statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
        throw spawnError("ENOENT", this.spawnargs);
      }
      const given = this.#ends[0];
      const stdin =
        given === "pipe" || given === "ignore" ? Buffer.concat(this.#input) : (sync().readFileSync(given) as Buffer);
      const result = await spawn({ argv, cwd, env: { ...(options.env ?? around.env) }, stdin });
      if (this.signalCode !== null) {
        return;
      }
      const refusal = refusalIn(result, argv[0] ?? "");
      if (refusal !== null) {
        throw spawnError(refusal, this.spawnargs);
      }
      this.emit("spawn");
      this.exitCode = result.status;
      this.#hand(1, result.stdout);
      this.#hand(2, result.stderr);
      this.#endOutput();
      this.#end(result.status, null);
    } catch (error) {
      setTimeout(() => {
        try {
          clearTimeout(this.#timer);
          this.#means.running.delete(this.pid);
          this.#stdin?.destroy();
          this.#endOutput();
          this.emit("error", error);
        } finally {
          setTimeout(() => {
            this.emit("close", -2, null);
            this.#release();
          }, 1);
        }
      }, 0);
    }
  }

  #hand(which: 1 | 2, bytes: Uint8Array): void {
    const end = this.#ends[which];
    if (bytes.length === 0 || end === "ignore") {
      return;
    }
    const { stdout, stderr } = this.#means.around;
    if (end === "pipe") {
      (which === 1 ? this.stdout : this.stderr)?.push(Buffer.from(bytes));
    } else if (end === 1 || end === 2) {
      (end === 1 ? stdout : stderr).write(bytes);
    } else {
      endOf(this.#means.sync(), end).write(bytes);
    }
  }
}

const TOO_LATE =
  "in the sandbox a program begins when its input ends, or soon after nobody has looked at its stdin; write to it at once";
const PIPE_FACTS = { code: "EPIPE", errno: -32, syscall: "write" };

/** Why a program was not started, as far as the shell that looked for it says so; null when it was. */
function refusalIn({ status, stderr }: SpawnResult, file: string): "ENOENT" | "EACCES" | null {
  if (status !== 127 && status !== 126) {
    return null;
  }
  const said = new TextDecoder().decode(stderr);
  const begins = said.endsWith(`${file}: command not found\n`) || said.endsWith(`${file}: No such file or directory\n`);
  const isOnly = said.trimEnd().split("\n").length === 1;
  return isOnly && begins ? "ENOENT" : isOnly && said.endsWith(`${file}: Permission denied\n`) ? "EACCES" : null;
}

function spawnError(code: "ENOENT" | "EACCES", [file = "", ...spawnargs]: readonly string[]): Error {
  const syscall = `spawn ${file}`;
  const errno = code === "ENOENT" ? -2 : -13;
  return Object.assign(new Error(`${syscall} ${code}`), { errno, code, syscall, path: file, spawnargs });
}

function directoryOf(cwd: string | URL, from: string): string {
  const path = cwd instanceof URL ? decodeURIComponent(cwd.pathname) : cwd;
  return path.startsWith("/") ? path : `${from}/${path}`;
}
