/** Owns `child_process` for a script: programs of the sandbox, asynchronously; never a program of the host. */
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { NODE_MISSING } from "../../../model/sandbox-table.ts";
import type { Loop } from "./loop.ts";

const MISSING: ReadonlyMap<string, string> = NODE_MISSING.get("child_process") ?? new Map();

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

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly stdout: { write(bytes: Uint8Array): unknown };
  readonly stderr: { write(bytes: Uint8Array): unknown };
  cwd(): string;
}

interface SpawnOptions {
  readonly cwd?: string | URL;
  readonly env?: Record<string, string>;
  readonly shell?: boolean | string;
  readonly stdio?: unknown;
  readonly encoding?: string;
  readonly timeout?: number;
  readonly killSignal?: string;
  readonly signal?: AbortSignal;
}

type Done = (error: Error | null, stdout: unknown, stderr: unknown) => void;

/** Makes `child_process`. */
export function makeChildProcess(spawnProgram: Spawn, loop: Loop, around: Surroundings) {
  class ChildProcess extends EventEmitter {
    readonly pid = 2;
    readonly stdin: Writable;
    readonly stdout = new Readable({ read: () => undefined });
    readonly stderr = new Readable({ read: () => undefined });
    readonly stdio: readonly [Writable, Readable, Readable];
    exitCode: number | null = null;
    signalCode: string | null = null;
    killed = false;
    readonly spawnfile: string;
    readonly spawnargs: readonly string[];
    readonly #release = loop.hold();
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(argv: readonly string[], options: SpawnOptions) {
      super();
      this.spawnargs = argv;
      this.spawnfile = argv[0] ?? "";
      const parts: Uint8Array[] = [];
      this.#stopWith(options);
      const inherit = options.stdio === "inherit" || (Array.isArray(options.stdio) && options.stdio[1] === "inherit");
      const begin = () => void this.#run(argv, options, Buffer.concat(parts), inherit ? "inherit" : "pipe");
      let begun = false;
      const beginOnce = () => {
        if (!begun) {
          begun = true;
          begin();
        }
      };
      this.stdin = new Writable({
        write: (chunk: Uint8Array, _encoding, callback) => {
          parts.push(chunk);
          callback();
        },
        final: (callback) => {
          beginOnce();
          callback();
        },
      });
      this.stdio = [this.stdin, this.stdout, this.stderr];
      // A program starts once its input has ended, or when the script gave none in its first turns.
      setTimeout(() => parts.length === 0 && beginOnce(), 1);
    }

    /** The program goes on unheard in the sandbox: nothing can stop it there before its time is over. */
    kill(signal: string | number = "SIGTERM"): boolean {
      if (this.exitCode !== null || this.signalCode !== null) {
        return false;
      }
      this.killed = true;
      this.signalCode = typeof signal === "number" ? (signal === 9 ? "SIGKILL" : "SIGTERM") : signal;
      for (const stream of [this.stdout, this.stderr]) {
        stream.push(null);
      }
      setTimeout(() => this.#end(null, this.signalCode), 0);
      return true;
    }
    ref(): void {}
    unref(): void {}

    /** Ends it when its time is over, or when somebody says so. */
    #stopWith({ timeout, killSignal, signal }: SpawnOptions): void {
      if (timeout !== undefined && timeout > 0) {
        this.#timer = setTimeout(() => this.kill(killSignal), timeout);
      }
      const abort = () => {
        if (this.kill(killSignal)) {
          this.emit("error", abortError(signal?.reason));
        }
      };
      if (signal?.aborted === true) {
        setTimeout(abort, 0);
      }
      signal?.addEventListener("abort", abort);
    }

    #end(status: number | null, signal: string | null): void {
      clearTimeout(this.#timer);
      this.emit("exit", status, signal);
      setTimeout(() => {
        this.emit("close", status, signal);
        this.#release();
      }, 1);
    }

    async #run(argv: readonly string[], options: SpawnOptions, stdin: Uint8Array, output: "inherit" | "pipe") {
      try {
        const cwd = options.cwd === undefined ? around.cwd() : String(options.cwd).replace(/^file:\/\//, "");
        const result = await spawnProgram({ argv, cwd, env: { ...(options.env ?? around.env) }, stdin });
        if (this.signalCode !== null) {
          return;
        }
        if (result.status === 127 && argv[0] !== "sh") {
          throw Object.assign(new Error(`spawn ${argv[0]} ENOENT`), {
            errno: -2,
            code: "ENOENT",
            syscall: `spawn ${argv[0]}`,
            path: argv[0],
            spawnargs: argv.slice(1),
          });
        }
        this.emit("spawn");
        this.exitCode = result.status;
        if (output === "inherit") {
          around.stdout.write(result.stdout);
          around.stderr.write(result.stderr);
        } else {
          this.stdout.push(result.stdout.length > 0 ? Buffer.from(result.stdout) : null);
          this.stderr.push(result.stderr.length > 0 ? Buffer.from(result.stderr) : null);
        }
        for (const stream of [this.stdout, this.stderr]) {
          if (!stream.readableEnded) {
            stream.push(null);
          }
        }
        this.#end(result.status, null);
      } catch (error) {
        setTimeout(() => {
          try {
            clearTimeout(this.#timer);
            this.emit("error", error);
          } finally {
            this.#release();
          }
        }, 0);
      }
    }
  }

  const spawn = (file: string, args?: readonly string[] | SpawnOptions, options?: SpawnOptions) => {
    const words = Array.isArray(args) ? args : [];
    const how = (Array.isArray(args) ? options : (args as SpawnOptions | undefined)) ?? {};
    return new ChildProcess(how.shell ? ["sh", "-c", [file, ...words].join(" ")] : [file, ...words], how);
  };
  const execFile = (file: string, ...rest: unknown[]) => execAs(null, file, ...rest);
  /** @param shown the command as errors name it; null for the words that are run */
  const execAs = (shown: string | null, file: string, ...rest: unknown[]) => {
    const done = rest.find((value): value is Done => typeof value === "function");
    const args = (Array.isArray(rest[0]) ? rest[0] : []) as string[];
    const options = (rest.find((value) => typeof value === "object" && value !== null && !Array.isArray(value)) ??
      {}) as SpawnOptions;
    const child = spawn(file, args, options);
    const stdout: Uint8Array[] = [];
    const stderr: Uint8Array[] = [];
    child.stdout.on("data", (chunk: Uint8Array) => stdout.push(chunk));
    child.stderr.on("data", (chunk: Uint8Array) => stderr.push(chunk));
    const text = (parts: Uint8Array[]) =>
      options.encoding === "buffer" ? Buffer.concat(parts) : Buffer.concat(parts).toString();
    const cmd = shown ?? [file, ...args].join(" ");
    let failed = false;
    child.on("error", (error: Error) => {
      failed = true;
      done?.(Object.assign(error, { cmd }), "", "");
    });
    child.on("close", (code: number | null, signal: string | null) => {
      if (failed) {
        return;
      }
      const error =
        code === 0
          ? null
          : Object.assign(new Error(`Command failed: ${cmd}\n${text(stderr)}`), {
              code,
              killed: child.killed,
              signal,
              cmd,
              stdout: text(stdout),
              stderr: text(stderr),
            });
      done?.(error, text(stdout), text(stderr));
    });
    return child;
  };
  const exec = (command: string, ...rest: unknown[]) => execAs(command, "sh", ["-c", command], ...rest);
  const promisified = (call: (...args: never[]) => unknown) =>
    Object.defineProperty(call, Symbol.for("nodejs.util.promisify.custom"), {
      value: (...args: unknown[]) =>
        new Promise((resolve, reject) => {
          (call as (...args: unknown[]) => unknown)(...args, (error: Error | null, stdout: unknown, stderr: unknown) =>
            error === null ? resolve({ stdout, stderr }) : reject(error),
          );
        }),
    });
  promisified(exec as never);
  promisified(execFile as never);
  return {
    ChildProcess,
    spawn,
    exec,
    execFile,
    ...Object.fromEntries([...MISSING].map(([name, instead]) => [name, impossible(name, instead)])),
  };
}

function abortError(cause: unknown): Error {
  const error = new Error("The operation was aborted", cause === undefined ? {} : { cause });
  return Object.assign(error, { name: "AbortError", code: "ABORT_ERR" });
}

/** A process that is waited for synchronously cannot exist in an isolate. */
function impossible(name: string, instead: string): () => never {
  return () => {
    const error = new Error(`child_process.${name} is not available in the sandbox: use ${instead}`);
    throw Object.assign(error, { code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" });
  };
}
