/** Owns `child_process` for a script: how it asks for programs of the sandbox, asynchronously; never a program of the host. */
import { NODE_MISSING } from "../../../model/sandbox-table.ts";
import { wrongType } from "./received.ts";
import { ChildProcess, type Means, type SpawnOptions } from "./started-program.ts";

const MISSING: ReadonlyMap<string, string> = NODE_MISSING.get("child_process") ?? new Map();

type Done = (error: Error | null, stdout: unknown, stderr: unknown) => void;

/** Bytes of one output that `exec` and `execFile` take. */
const MAX_BUFFER = 1024 * 1024;

/** Makes `child_process`. */
export function makeChildProcess(means: Means) {
  const spawn = (file: string, args?: readonly string[] | SpawnOptions | null, options?: SpawnOptions) => {
    if (typeof file !== "string") {
      throw wrongType("file", "of type string", file);
    }
    const words = Array.isArray(args) ? args.map(String) : [];
    const how = (Array.isArray(args) ? options : ((args as SpawnOptions | null | undefined) ?? options)) ?? {};
    if (!how.shell) {
      return new ChildProcess([file, ...words], [file, ...words], how, means);
    }
    const shell = how.shell === true ? "/bin/sh" : how.shell;
    const line = [file, ...words].join(" ");
    return new ChildProcess([shell.replace(/^.*\//, ""), "-c", line], [shell, "-c", line], how, means);
  };
  const execFile = (file: string, ...rest: unknown[]) => execAs(null, file, ...rest);
  /** @param shown the command as errors name it; null for the words that are run */
  const execAs = (shown: string | null, file: string, ...rest: unknown[]) => {
    const done = rest.find((value): value is Done => typeof value === "function");
    const args = (Array.isArray(rest[0]) ? rest[0] : []) as string[];
    const given = rest.find((value) => typeof value === "object" && value !== null && !Array.isArray(value));
    const options = (given ?? {}) as SpawnOptions;
    const child = spawn(file, args, {
      ...options,
      stdio: "pipe",
      ...(shown === null ? {} : { shell: options.shell || true }),
    });
    const most = options.maxBuffer ?? MAX_BUFFER;
    const outputs = { stdout: new Collected(most), stderr: new Collected(most) };
    const cmd = shown ?? [file, ...args].join(" ");
    let failure: Error | null = null;
    for (const [name, output] of Object.entries(outputs)) {
      const isFull = () => {
        const error = new RangeError(`${name} maxBuffer length exceeded`);
        failure ??= Object.assign(error, { code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" });
        child.kill(options.killSignal);
      };
      child[name as keyof typeof outputs]?.on("data", (chunk: Uint8Array) => output.add(chunk) || isFull());
    }
    child.on("error", (error: Error) => {
      failure = Object.assign(error, error.name === "AbortError" ? {} : { cmd });
    });
    child.on("close", (code: number | null, signal: string | null) => {
      const stdout = outputs.stdout.whole(options.encoding);
      const stderr = outputs.stderr.whole(options.encoding);
      const error =
        failure ?? (code === 0 ? null : new Error(`Command failed: ${cmd}\n${outputs.stderr.whole("utf8")}`));
      const facts = failure === null ? { code, killed: child.killed, signal, cmd } : { cmd };
      done?.(error && Object.assign(error, facts), stdout, stderr);
    });
    return child;
  };
  const exec = (command: string, ...rest: unknown[]) => {
    if (typeof command !== "string") {
      throw wrongType("command", "of type string", command);
    }
    return execAs(command, command, ...rest);
  };
  withPromises(exec as never);
  withPromises(execFile as never);
  return {
    ChildProcess,
    spawn,
    exec,
    execFile,
    ...Object.fromEntries([...MISSING].map(([name, instead]) => [name, impossible(name, instead)])),
  };
}

/** One output of a program, up to a size. */
class Collected {
  readonly #parts: Uint8Array[] = [];
  #left: number;

  constructor(most: number) {
    this.#left = most;
  }

  /** False when there was too much. */
  add(chunk: Uint8Array): boolean {
    this.#parts.push(chunk.subarray(0, this.#left));
    const fits = chunk.length <= this.#left;
    this.#left = Math.max(0, this.#left - chunk.length);
    return fits;
  }

  whole(encoding: string | null | undefined): unknown {
    const bytes = Buffer.concat(this.#parts);
    const isText = encoding === undefined || (encoding !== null && Buffer.isEncoding(encoding));
    return isText ? bytes.toString(encoding as BufferEncoding | undefined) : bytes;
  }
}

/** What `util.promisify` makes of a call: a promise that has the program, and whose error has what was printed. */
function withPromises(call: (...args: unknown[]) => unknown): void {
  const value = (...args: unknown[]) => {
    let child: unknown;
    const promise = new Promise((resolve, reject) => {
      child = call(...args, (error: Error | null, stdout: unknown, stderr: unknown) =>
        error === null ? resolve({ stdout, stderr }) : reject(Object.assign(error, { stdout, stderr })),
      );
    });
    return Object.assign(promise, { child });
  };
  Object.defineProperty(call, Symbol.for("nodejs.util.promisify.custom"), { value });
}

/** A process that is waited for synchronously cannot exist in an isolate. */
function impossible(name: string, instead: string): () => never {
  return () => {
    const error = new Error(`child_process.${name} is not available in the sandbox: use ${instead}`);
    throw Object.assign(error, { code: "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM" });
  };
}
