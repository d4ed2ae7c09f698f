/** Owns the socket calls of CPython: a loopback inside the run, and HTTP to the outside through the run's network; never a real socket. */
import { ERRNO, endpointOf, openEndpoint } from "./endpoints.ts";
import { HttpSocket } from "./http-socket.ts";
import { Socket } from "./loopback.ts";
import type { SyscallParts } from "./syscall-parts.ts";

const STREAM = 1;
const INET = 2;
const INET6 = 10;
const LEVEL_SOCKET = 1;
const SO_TYPE = 3;
/** shutdown(2) is a stub in this build, getsockopt is not: site/sitecustomize.py sends it this way. */
const LEVEL_SHUTDOWN = 0x4f58;

type WhenReady = (fd: number, then: () => number) => number | Promise<number>;

/** The socket part of the import table. */
export function socketCalls({ process, fs, memory, names, room }: SyscallParts, whenReady: WhenReady) {
  const { machine } = process;
  const socketAt = (fd: number): Socket | null => {
    const endpoint = endpointOf(fs().getStream(fd));
    return endpoint instanceof Socket ? endpoint : null;
  };
  const open = (socket: Socket, flags: number) => openEndpoint(fs(), socket, "socket", 2 | (flags & 0o4000));
  const addressAt = (at: number) => ({
    host: [0, 1, 2, 3].map((i) => memory.read8(at + 4 + i)).join("."),
    port: memory.readPort(at + 2),
    family: memory.read16(at),
  });
  const writeAddress = (at: number, lengthAt: number, host: string, port: number) => {
    if (at === 0) {
      return;
    }
    memory.bytes(at, 16).fill(0);
    memory.i16(at, INET);
    memory.writePort(at + 2, port);
    memory.bytes(at + 4, 4).set(/^[\d.]+$/.test(host) ? host.split(".").map(Number) : [0, 0, 0, 0]);
    if (lengthAt !== 0) {
      memory.i32(lengthAt, 16);
    }
  };
  /** Runs a call on a socket; what it throws as a number becomes the answer. */
  const on = (fd: number, work: (socket: Socket) => number): number => {
    const socket = socketAt(fd);
    if (socket === null) {
      return fs().getStream(fd) ? -ERRNO.ENOTSOCK : -ERRNO.EBADF;
    }
    try {
      return work(socket);
    } catch (error) {
      if (typeof error === "object" && error !== null && "number" in error && typeof error.number === "number") {
        return -error.number;
      }
      throw error;
    }
  };
  const send = (fd: number, at: number, length: number) =>
    on(fd, (socket) => {
      socket.write(memory.bytes(at, length));
      return length;
    });
  const receive = (fd: number, at: number, length: number) =>
    on(fd, (socket) => socket.read(memory.bytes(at, length)) ?? -ERRNO.EAGAIN);
  /** `(address, length)` of each buffer of a msghdr. */
  const buffers = (message: number): [number, number][] =>
    Array.from({ length: memory.read32(message + 12) }, (_, i) => {
      const at = memory.read32(message + 8) + i * 8;
      return [memory.read32(at), memory.read32(at + 4)];
    });
  return {
    __syscall_socket: (family: number, type: number) =>
      (family === INET || family === INET6) && (type & 0xf) === STREAM
        ? open(new Socket(machine.loopback, machine.bell, room), type)
        : -ERRNO.EPROTONOSUPPORT,
    __syscall_bind: (fd: number, at: number) => on(fd, (socket) => socket.bind(addressAt(at).port)),
    __syscall_listen: (fd: number) => on(fd, (socket) => socket.listen()),
    __syscall_connect: (fd: number, at: number) =>
      on(fd, (socket) => {
        const { host, port } = addressAt(at);
        const isLoopback = /^(127\.|0\.0\.0\.0$)/.test(host);
        if (isLoopback && (machine.loopback.has(port) || !machine.loopbackPorts.has(port))) {
          return socket.connect(port);
        }
        const far = isLoopback ? null : (names().lookup_addr(host) ?? host);
        return socket.become(new HttpSocket({ machine, room, host: far, port }), host, port);
      }),
    __syscall_accept4: new WebAssembly.Suspending((fd: number, at: number, lengthAt: number, flags: number) =>
      whenReady(fd, () =>
        on(fd, (socket) => {
          const accepted = socket.accept();
          if (accepted === null) {
            return -ERRNO.EAGAIN;
          }
          writeAddress(at, lengthAt, "127.0.0.1", accepted.peerPort);
          return open(accepted, flags);
        }),
      ),
    ),
    __syscall_getsockname: (fd: number, at: number, lengthAt: number) =>
      on(fd, (socket) => {
        writeAddress(at, lengthAt, "127.0.0.1", socket.port);
        return 0;
      }),
    __syscall_getpeername: (fd: number, at: number, lengthAt: number) =>
      on(fd, (socket) => {
        if (!socket.connected) {
          return -ERRNO.ENOTCONN;
        }
        writeAddress(at, lengthAt, socket.peerHost, socket.peerPort);
        return 0;
      }),
    __syscall_getsockopt: (fd: number, level: number, name: number, at: number, lengthAt: number) =>
      on(fd, (socket) => {
        if (level === LEVEL_SHUTDOWN) {
          return socket.shutdown(name);
        }
        memory.i32(at, level === LEVEL_SOCKET && name === SO_TYPE ? STREAM : 0);
        memory.i32(lengthAt, 4);
        return 0;
      }),
    __syscall_sendto: (fd: number, at: number, length: number) => send(fd, at, length),
    __syscall_sendmsg: (fd: number, message: number) => {
      let sent = 0;
      for (const [at, length] of buffers(message)) {
        const count = send(fd, at, length);
        if (count < 0) {
          return count;
        }
        sent += count;
      }
      return sent;
    },
    __syscall_recvfrom: new WebAssembly.Suspending((fd: number, at: number, length: number) =>
      whenReady(fd, () => receive(fd, at, length)),
    ),
    __syscall_recvmsg: new WebAssembly.Suspending((fd: number, message: number) => {
      const [first] = buffers(message);
      return first === undefined ? 0 : whenReady(fd, () => receive(fd, first[0], first[1]));
    }),
  };
}
