/** Owns descriptors 0, 1 and 2 of a Python process; never any other descriptor. */
import type { Process } from "../box/machine.ts";
import type { EmFs, StreamOps } from "./emscripten.ts";

const PIPE_MODE = 0o010600;

/** Replaces Emscripten's terminal by the process's own input and output. */
export function standardStreams(fs: EmFs, process: Process): void {
  let at = 0;
  const input: StreamOps = {
    read: (_stream, buffer, offset, length) => {
      const piece = process.stdin.subarray(at, at + length);
      new Uint8Array(buffer.buffer, buffer.byteOffset + offset, piece.length).set(piece);
      at += piece.length;
      return piece.length;
    },
    poll: () => 1,
  };
  replace(fs, 0, 0, "/dev/stdin", input);
  replace(
    fs,
    1,
    1,
    "/dev/stdout",
    output((bytes) => process.stdout.write(bytes)),
  );
  replace(
    fs,
    2,
    1,
    "/dev/stderr",
    output((bytes) => process.stderr.write(bytes)),
  );
}

function output(write: (bytes: Uint8Array) => void): StreamOps {
  return {
    write: (_stream, buffer, offset, length) => {
      write(new Uint8Array(buffer.buffer, buffer.byteOffset + offset, length));
      return length;
    },
    poll: () => 4,
  };
}

function replace(fs: EmFs, fd: number, flags: number, path: string, ops: StreamOps): void {
  fs.closeStream(fd);
  const node = new fs.FSNode(null, path, PIPE_MODE, 0);
  const time = new Date(0);
  const attributes = {
    dev: 1,
    ino: node.id,
    mode: PIPE_MODE,
    nlink: 1,
    uid: 1000,
    gid: 1000,
    rdev: 0,
    size: 0,
    blksize: 4096,
    blocks: 0,
  };
  node.node_ops = { getattr: () => ({ ...attributes, atime: time, mtime: time, ctime: time }) };
  node.stream_ops = ops;
  fs.createStream({ node, path, flags, seekable: false, position: 0, stream_ops: ops }, fd);
}
