/** Owns what `fs.promises.open` gives: an open file with the calls of a promise each; never paths. */
import type { Readable, Writable } from "node:stream";
import type { StreamOptions } from "./fs-streams.ts";
import type { FsSync } from "./fs-sync.ts";

/** What a handle works with. */
interface Means {
  readonly sync: FsSync;
  readonly later: <T>(work: () => T) => Promise<T>;
  readonly streams: () => {
    readonly ReadStream: new (path: never, how?: StreamOptions) => Readable;
    readonly WriteStream: new (path: never, how?: StreamOptions) => Writable;
  };
}

interface ReadOptions {
  readonly buffer?: Uint8Array;
  readonly offset?: number;
  readonly length?: number;
  readonly position?: number | null;
}

const READ_BYTES = 16384;

export class FileHandle {
  readonly fd: number;
  readonly #means: Means;

  constructor(fd: number, means: Means) {
    this.fd = fd;
    this.#means = means;
  }

  read(buffer?: Uint8Array | ReadOptions, ...rest: unknown[]) {
    const { sync, later } = this.#means;
    const isView = ArrayBuffer.isView(buffer);
    const into = isView ? buffer : (buffer?.buffer ?? Buffer.alloc(READ_BYTES));
    const how = isView ? rest : [buffer];
    return later(() => ({ bytesRead: sync.readSync(this.fd, into, ...how), buffer: into }));
  }
  write(data: string | ArrayBufferView, ...rest: unknown[]) {
    const { sync, later } = this.#means;
    return later(() => ({ bytesWritten: sync.writeSync(this.fd, data, ...rest), buffer: data }));
  }
  writev(views: readonly ArrayBufferView[], position?: number | null) {
    const { sync, later } = this.#means;
    return later(() => ({ bytesWritten: sync.writevSync(this.fd, views, position), buffers: views }));
  }
  readv(views: readonly ArrayBufferView[], position?: number | null) {
    const { sync, later } = this.#means;
    return later(() => ({ bytesRead: sync.readvSync(this.fd, views, position), buffers: views }));
  }
  readFile(options?: string) {
    return this.#means.later(() => this.#means.sync.readFileSync(this.fd, options));
  }
  writeFile(data: unknown, options?: string) {
    return this.#means.later(() => this.#means.sync.writeFileSync(this.fd, data, options));
  }
  appendFile(data: unknown, options?: string) {
    return this.writeFile(data, options);
  }
  async *readLines(options?: { readonly encoding?: string }): AsyncGenerator<string> {
    const text = String(await this.readFile(options?.encoding ?? "utf8"));
    yield* text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
    await this.close();
  }
  createReadStream(options?: StreamOptions) {
    return new (this.#means.streams().ReadStream)(undefined as never, { ...options, fd: this.fd });
  }
  createWriteStream(options?: StreamOptions) {
    return new (this.#means.streams().WriteStream)(undefined as never, { ...options, fd: this.fd });
  }
  stat() {
    return this.#means.later(() => this.#means.sync.fstatSync(this.fd));
  }
  chmod(mode: number | string) {
    return this.#means.later(() => this.#means.sync.fchmodSync(this.fd, mode));
  }
  chown(uid: number, gid: number) {
    return this.#means.later(() => this.#means.sync.fchownSync(this.fd, uid, gid));
  }
  utimes(atime: unknown, mtime: unknown) {
    return this.#means.later(() => this.#means.sync.futimesSync(this.fd, atime, mtime));
  }
  truncate(size?: number) {
    return this.#means.later(() => this.#means.sync.ftruncateSync(this.fd, size));
  }
  sync() {
    return this.#means.later(() => undefined);
  }
  datasync() {
    return this.sync();
  }
  close() {
    return this.#means.later(() => this.#means.sync.closeSync(this.fd));
  }
  [Symbol.asyncDispose]() {
    return this.close();
  }
}
