/** Owns the system calls that wait: reading, polling, accepting, running a command; never what they wait for. */
import { AbsentError, bring, withBytes } from "../files/absent.ts";
import { FileError } from "../files/errors.ts";
import type { Inode } from "../files/inode.ts";
import { ByteQueue } from "./byte-queue.ts";
import { Children } from "./children.ts";
import type { ImportTable } from "./emscripten.ts";
import { ERRNO, endpointOf, isBlocking, openEndpoint, PipeReader, PipeWriter, POLL, setBlocking } from "./endpoints.ts";
import { umaskOf } from "./filesystem.ts";
import { EINTR } from "./last-moment.ts";
import { socketCalls } from "./sockets.ts";
import type { SyscallParts } from "./syscall-parts.ts";

const CREATE = 0o100;
const SET_FLAGS = 4;
const FIONBIO = 0x5421;
const NONBLOCK = 0o4000;
/** Of DNS; and how many a process may ask for: each is kept. */
const LONGEST_HOST = 255;
const MOST_HOSTS = 4_096;
const NO_SUCH_NAME = -2;

type Call = (...args: number[]) => number;

/** Replaces entries of the import table; runs before CPython is instantiated. */
export function replaceSyscalls(table: ImportTable, parts: SyscallParts): void {
  const { process, fs, memory, last, room, names } = parts;
  const { machine } = process;
  const children = new Children(parts);
  const original = { ...table } as Record<string, Call>;
  const call = (name: string, ...args: number[]) => original[name]?.(...args) ?? -ERRNO.EINVAL;
  const ready = (fd: number) => {
    const stream = fs().getStream(fd);
    const endpoint = endpointOf(stream);
    return endpoint === null || !isBlocking(stream as never) || (endpoint.poll() & ~POLL.OUT) !== 0;
  };
  /** Waits until a descriptor is ready, then goes on. */
  const whenReady = (fd: number, then: () => number): number | Promise<number> => {
    if (ready(fd)) {
      return then();
    }
    return (async () => {
      while (!ready(fd)) {
        await machine.untilStopped(machine.bell.next());
      }
      return then();
    })();
  };
  const settled = (result: number | Promise<number>, interrupted: number) =>
    typeof result === "number" ? result : result.catch((error) => last.interrupt(error, interrupted));
  const poll = async (fds: number, count: number, timeout: number): Promise<number> => {
    const until = timeout < 0 ? Number.POSITIVE_INFINITY : Date.now() + timeout;
    for (;;) {
      const left = until - Date.now();
      const found = call("__syscall_poll", fds, count, 0);
      if (found !== 0 || left <= 0) {
        return found;
      }
      const waiting = machine.sleep(left === Number.POSITIVE_INFINITY ? -1 : left);
      await (count === 0 ? waiting : Promise.race([waiting, machine.untilStopped(machine.bell.next())]));
    }
  };
  const inodeOf = (fd: number) => (fs().getStream(fd)?.node as { inode?: Inode } | undefined)?.inode ?? null;
  /** Waits for the bytes of the file that was opened. */
  const opened = (fd: number): number | Promise<number> => {
    const arriving = fd < 0 ? null : bring(inodeOf(fd));
    const failed = (error: unknown) => {
      if (!(error instanceof FileError)) {
        return last.interrupt(error, -EINTR);
      }
      call("fd_close", fd);
      return -error.wasi;
    };
    return arriving === null ? fd : machine.untilStopped(arriving).then(() => fd, failed);
  };
  /** Does what needs the bytes of a file, once they are here. */
  const whenHere = (work: () => number): number | Promise<number> => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof AbsentError)) {
        throw error;
      }
      return settled(machine.untilStopped(withBytes(work)), -EINTR);
    }
  };
  Object.assign(table, {
    _tzset_js: (zone: number, daylight: number, standard: number, summer: number) => {
      // Local time is UTC, which the platform's own name for it does not say.
      memory.i32(zone, 0);
      memory.i32(daylight, 0);
      for (const name of [standard, summer]) {
        memory.bytes(name, 4).set([0x55, 0x54, 0x43, 0]);
      }
    },
    __syscall_openat: new WebAssembly.Suspending((at: number, path: number, flags: number, rest: number) => {
      if ((flags & CREATE) !== 0 && rest !== 0) {
        memory.i32(rest, memory.read32(rest) & ~umaskOf(fs()));
      }
      return opened(call("__syscall_openat", at, path, flags, rest));
    }),
    __syscall_truncate64: new WebAssembly.Suspending((...words: number[]) =>
      whenHere(() => call("__syscall_truncate64", ...words)),
    ),
    fd_read: new WebAssembly.Suspending((fd: number, iov: number, count: number, out: number) =>
      settled(
        whenReady(fd, () => call("fd_read", fd, iov, count, out)),
        EINTR,
      ),
    ),
    __syscall_poll: new WebAssembly.Suspending((fds: number, count: number, timeout: number) => {
      const found = call("__syscall_poll", fds, count, 0);
      return found !== 0 || timeout === 0 ? found : settled(poll(fds, count, timeout), -EINTR);
    }),
    __syscall_pipe: (at: number) => {
      const pipe = { queue: new ByteQueue(room), bell: machine.bell, readers: 0, writers: 0 };
      memory.i32(at, openEndpoint(fs(), new PipeReader(pipe), "pipe", 0));
      memory.i32(at + 4, openEndpoint(fs(), new PipeWriter(pipe), "pipe", 1));
      return 0;
    },
    getaddrinfo: (node: number, service: number, hint: number, out: number) =>
      node !== 0 && (memory.text(node).length > LONGEST_HOST || names().address_map.id > MOST_HOSTS)
        ? NO_SUCH_NAME
        : call("getaddrinfo", node, service, hint, out),
    __syscall_fcntl64: (fd: number, command: number, rest: number) => {
      const stream = fs().getStream(fd);
      if (command !== SET_FLAGS || endpointOf(stream) === null) {
        return call("__syscall_fcntl64", fd, command, rest);
      }
      setBlocking(stream as never, (memory.read32(rest) & NONBLOCK) === 0 ? "wait" : "never wait");
      return 0;
    },
    __syscall_ioctl: (fd: number, request: number, rest: number) => {
      const stream = fs().getStream(fd);
      if (request !== FIONBIO || endpointOf(stream) === null) {
        return call("__syscall_ioctl", fd, request, rest);
      }
      setBlocking(stream as never, memory.read32(memory.read32(rest)) === 0 ? "wait" : "never wait");
      return 0;
    },
    _emscripten_system: new WebAssembly.Suspending((command: number) =>
      children.system(command === 0 ? null : memory.text(command)),
    ),
    ...socketCalls(parts, whenReady),
  });
}
