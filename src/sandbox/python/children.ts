/** Owns the processes a Python process starts, and waiting for them; never what a program does. */
import { joinBytes } from "../../model/bytes.ts";
import { FileError } from "../files/errors.ts";
import { baseName, resolvePath } from "../files/paths.ts";
import { fileRest, isSame, sinkOf } from "./child-streams.ts";
import { type Endpoint, ERRNO, Errno, endpointOf } from "./endpoints.ts";
import type { SyscallParts } from "./syscall-parts.ts";

/** What site/_posixsubprocess.py sends through os.system. */
type Request =
  | {
      readonly do: "spawn";
      readonly args: readonly string[];
      readonly executables: readonly string[];
      readonly cwd: string | null;
      readonly env: Readonly<Record<string, string>> | null;
      readonly fds: readonly [number, number, number];
    }
  | { readonly do: "shell"; readonly command: string; readonly env: Readonly<Record<string, string>> }
  | { readonly do: "wait"; readonly pid: number; readonly hang: number }
  | { readonly do: "kill"; readonly pid: number; readonly signal: number }
  | { readonly do: "databases" }
  | { readonly do: "umask"; readonly mask: number }
  | { readonly do: "link"; readonly from: string; readonly to: string }
  | { readonly do: "alarm"; readonly ms: number; readonly every: number };

/** What a request to this module begins with; anything else is a command for the shell. */
const MARK = "\u0001box:";
const FIRST_PID = 100;
/** Answers that are no status; negative ones do not survive system(3). The other side is site/_posixsubprocess.py. */
const RUNNING = 20_000_000;
const FAILED = 10_000_000;
const SIGKILL = 9;
/** As a shell answers: no process could be made. */
const NO_MORE_PROCESSES = 254;

interface Child {
  status: number | null;
  readonly done: Promise<void>;
  killed(status: number): void;
}

export class Children {
  readonly #parts: SyscallParts;
  readonly #children = new Map<number, Child>();
  #next = FIRST_PID;
  #spawned = 0;

  constructor(parts: SyscallParts) {
    this.#parts = parts;
  }

  /** system(3); also the door for requests of the sandbox's own Python modules. */
  system(command: string | null): number | Promise<number> {
    if (command === null) {
      return 1;
    }
    if (!command.startsWith(MARK)) {
      return this.#shell(command, this.#parts.process.env);
    }
    const request = JSON.parse(command.slice(MARK.length)) as Request;
    if (request.do === "spawn") {
      return this.#spawn(request);
    }
    if (request.do === "shell") {
      return this.#shell(request.command, request.env);
    }
    if (request.do === "databases") {
      return this.#parts.databases.open(this.#parts.process, this.#parts.fs, this.#parts.room);
    }
    if (request.do === "umask") {
      this.#parts.fs().umask = request.mask;
      return 0;
    }
    if (request.do === "link") {
      return this.#link(request.from, request.to);
    }
    if (request.do === "alarm") {
      this.#parts.alarm.set(request.ms, request.every);
      return 0;
    }
    return request.do === "wait" ? this.#wait(request.pid, request.hang) : this.#kill(request.pid, request.signal);
  }

  async #shell(command: string, env: Readonly<Record<string, string>>): Promise<number> {
    const { process, fs } = this.#parts;
    const stdin = new Uint8Array(0);
    const status = await process.machine.start("sh", {
      ...process,
      args: ["-c", command],
      env,
      cwd: fs().currentPath,
      stdin,
    });
    return (status & 0xff) << 8;
  }

  /** A process id, or the number of an error above FAILED. */
  #spawn(request: Extract<Request, { do: "spawn" }>): number {
    const { process, fs } = this.#parts;
    const { machine } = process;
    const cwd = request.cwd === null ? fs().currentPath : resolvePath(fs().currentPath, request.cwd);
    if (machine.files.peek(cwd)?.kind !== "dir") {
      return FAILED + ERRNO.ENOENT;
    }
    const program = this.#program(request, cwd);
    if (typeof program === "number") {
      return program;
    }
    const [input, out, err] = request.fds.map((fd, i) => fs().getStream(fd < 0 ? i : fd));
    const onFull = () => child.killed(SIGKILL);
    const stdout = sinkOf(out, process, onFull);
    // One sink for both keeps what is printed in one order.
    const stderr = isSame(out, err) ? stdout : sinkOf(err, process, onFull);
    const pid = this.#next++;
    let settle: () => void = () => undefined;
    const child: Child = {
      status: null,
      done: new Promise((resolve) => {
        settle = resolve;
      }),
      killed: (status) => {
        child.status ??= status;
        stdout.close();
        stderr.close();
        settle();
        machine.bell.ring();
      },
    };
    this.#children.set(pid, child);
    if (++this.#spawned > machine.state.limits.processes) {
      // One that waits for its input is not counted as started yet, and holds memory all the same.
      machine.state.note("processes");
      stderr.sink.writeText(`${program.name}: fork: Resource temporarily unavailable\n`);
      child.killed(NO_MORE_PROCESSES << 8);
      return pid;
    }
    const reader = request.fds[0] < 0 ? null : endpointOf(input);
    reader?.retain();
    const run = async () => {
      const stdin =
        reader === null ? (request.fds[0] < 0 ? new Uint8Array(0) : fileRest(input)) : await this.#readAll(reader);
      reader?.release();
      const env = request.env ?? process.env;
      const words = { machine, args: program.args, cwd, env };
      const started = machine.start(program.name, { ...words, stdin, stdout: stdout.sink, stderr: stderr.sink });
      const status = await started.finally(() => reader === null || this.#parts.room.give(stdin.length));
      child.killed((status & 0xff) << 8);
    };
    run().catch(() => child.killed(137));
    return pid;
  }

  #program(
    request: Extract<Request, { do: "spawn" }>,
    cwd: string,
  ): { name: string; args: readonly string[] } | number {
    const { machine } = this.#parts.process;
    const words = request.args.slice(1);
    let failure: number = FAILED + ERRNO.ENOENT;
    for (const executable of request.executables) {
      const path = resolvePath(cwd, executable);
      const node = machine.files.peek(path);
      if (node?.kind !== "file") {
        continue;
      }
      if ((node.mode & 0o111) === 0) {
        failure = FAILED + ERRNO.EACCES;
        continue;
      }
      const name = baseName(path);
      const isProgram = node.frozen && machine.has(name);
      const shown = node.frozen ? name : path;
      return isProgram ? { name, args: words } : { name: "bash", args: ["-c", '"$0" "$@"', shown, ...words] };
    }
    return failure;
  }

  async #readAll(reader: Endpoint): Promise<Uint8Array> {
    const { process, room } = this.#parts;
    const { machine } = process;
    const parts: Uint8Array[] = [];
    const piece = new Uint8Array(65536);
    for (;;) {
      const count = reader.read(piece);
      if (count === 0) {
        return joinBytes(parts);
      }
      if (count !== null && !room.take(count)) {
        throw new Errno(ERRNO.ENOMEM);
      }
      if (count === null) {
        await machine.untilStopped(machine.bell.next());
      } else {
        parts.push(piece.slice(0, count));
      }
    }
  }

  async #wait(pid: number, hang: number): Promise<number> {
    const { machine } = this.#parts.process;
    const child = this.#children.get(pid);
    if (child === undefined) {
      return FAILED + ERRNO.ECHILD;
    }
    if (child.status === null) {
      const waiting = hang === 1 ? machine.untilStopped(child.done) : machine.sleep(0);
      await waiting.catch((error) => this.#parts.last.interrupt(error, undefined));
    }
    if (child.status === null) {
      return RUNNING;
    }
    this.#children.delete(pid);
    return child.status;
  }

  #link(from: string, to: string): number {
    const { process, fs } = this.#parts;
    const [existing, path] = [from, to].map((name) => resolvePath(fs().currentPath, name));
    try {
      process.machine.files.link(existing ?? "", path ?? "");
      return 0;
    } catch (error) {
      if (error instanceof FileError) {
        return FAILED + error.wasi;
      }
      throw error;
    }
  }

  #kill(pid: number, signal: number): number {
    const child = this.#children.get(pid);
    if (child === undefined) {
      return FAILED;
    }
    if (signal !== 0) {
      child.killed(signal);
    }
    return 0;
  }
}
