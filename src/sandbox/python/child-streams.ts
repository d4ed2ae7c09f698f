/** Owns where a subprocess of Python's reads and writes: its parent's pipes, files, own output; never the subprocess. */
import type { Process } from "../box/machine.ts";
import type { FileNode } from "../files/inode.ts";
import type { Sink } from "../output.ts";
import type { EmStream } from "./emscripten.ts";
import { ERRNO, Errno, endpointOf } from "./endpoints.ts";

const APPEND = 0o2000;

interface OwnedSink {
  readonly sink: Sink;
  close(): void;
}

/** Where a child's output goes: into the parent's pipe, file or own output. `onFull` is called when a pipe has no room for it. */
export function sinkOf(stream: EmStream | null | undefined, process: Process, onFull: () => void): OwnedSink {
  const endpoint = endpointOf(stream);
  let open = true;
  const make = (write: (bytes: Uint8Array) => void, close: () => void): OwnedSink => ({
    sink: {
      write: (bytes) => open && write(bytes),
      writeText: (text) => open && write(new TextEncoder().encode(text)),
    },
    close: () => {
      if (open) {
        open = false;
        close();
      }
    },
  });
  if (endpoint !== null) {
    endpoint.retain();
    const write = (bytes: Uint8Array) => {
      try {
        endpoint.write(bytes);
      } catch (error) {
        // Nobody reads any more: the child's output goes nowhere, as with SIGPIPE ignored. But none is lost on its way.
        if (error instanceof Errno && error.number === ERRNO.ENOMEM) {
          onFull();
        }
      }
    };
    return make(write, () => endpoint.release());
  }
  if (stream?.fd === 2 || stream?.path === "/dev/stderr") {
    return make(
      (bytes) => process.stderr.write(bytes),
      () => undefined,
    );
  }
  const node = fileOf(stream);
  if (node === null || stream === null || stream === undefined) {
    const discard = stream?.path === "/dev/null";
    return make(
      (bytes) => discard || process.stdout.write(bytes),
      () => undefined,
    );
  }
  const { store } = process.machine.files;
  const shared = stream.shared as { position: number; flags: number };
  const write = (bytes: Uint8Array) => {
    const at = (shared.flags & APPEND) !== 0 ? node.size : shared.position;
    store.write(node, bytes, at);
    shared.position = at + bytes.length;
  };
  return make(write, () => undefined);
}

/** Whether two descriptors lead to one pipe or one opening of a file. */
export function isSame(one: EmStream | null | undefined, other: EmStream | null | undefined): boolean {
  const endpoint = endpointOf(one);
  return endpoint === null ? fileOf(one) !== null && one?.shared === other?.shared : endpoint === endpointOf(other);
}

function fileOf(stream: EmStream | null | undefined): FileNode | null {
  const inode = (stream?.node as { inode?: FileNode } | undefined)?.inode;
  return inode?.kind === "file" ? inode : null;
}

export function fileRest(stream: EmStream | null | undefined): Uint8Array {
  const node = fileOf(stream);
  return node === null ? new Uint8Array(0) : node.data.slice(stream?.position ?? 0, node.size);
}
