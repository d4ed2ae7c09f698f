/** Owns showing a run's file system to just-bash; never keeps bytes or names of its own. */
import type { FileContent, FsStat, IFileSystem } from "just-bash/browser";
import { bring } from "../files/absent.ts";
import { FileError } from "../files/errors.ts";
import { fullMode, type Inode, sizeOf } from "../files/inode.ts";
import { baseName, resolvePath } from "../files/paths.ts";
import type { Vfs } from "../files/vfs.ts";
import type { Streams } from "./inside.ts";
import { bytesOf, decodeText, encodeText, latin1 } from "./tools/text.ts";

type Encoding = { encoding?: string | null } | string | undefined;

/** Where `resolvePath(…, "")` leads: nowhere, so that `rm -rf "$EMPTY"` removes nothing. */
const NOWHERE = "/.empty-path";

/** Names of a program's own input. */
export const STANDARD_INPUT: ReadonlySet<string> = new Set(["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** just-bash's file system over the run's own. */
export class ShellFiles implements IFileSystem {
  readonly #files: Vfs;
  readonly #streams: Streams;

  /** @param streams of the command that runs */
  constructor(files: Vfs, streams: Streams) {
    this.#files = files;
    this.#streams = streams;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    return decode(await this.#read(path), encodingOf(options));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return (await this.#read(path)).slice();
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.#files.writeFile(path, encode(content, encodingOf(options)));
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    await this.#files.bring(path);
    this.#files.appendFile(path, encode(content, encodingOf(options)));
  }

  async exists(path: string): Promise<boolean> {
    return this.#files.peek(path) !== null;
  }

  async stat(path: string): Promise<FsStat> {
    return describe(this.#files.find(path));
  }

  async lstat(path: string): Promise<FsStat> {
    return describe(this.#files.find(path, "nofollow", "lstat"));
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    if (options?.recursive) {
      this.#files.mkdirAll(path);
    } else {
      this.#files.mkdir(path);
    }
  }

  async readdir(path: string): Promise<string[]> {
    return [...this.#files.directory(path).entries.keys()].sort();
  }

  async readdirWithFileTypes(path: string) {
    const entries = [...this.#files.directory(path).entries].sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([name, node]) => ({
      name,
      isFile: node.kind === "file",
      isDirectory: node.kind === "dir",
      isSymbolicLink: node.kind === "link",
    }));
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    const node = this.#files.peek(path, "nofollow");
    if (node === null) {
      if (options?.force) {
        return;
      }
      throw new FileError("ENOENT", "rm", path);
    }
    if (node.kind === "dir" && !options?.recursive) {
      this.#files.rmdir(path);
    } else {
      this.#files.removeTree(path);
    }
  }

  async cp(src: string, dest: string, options?: { recursive?: boolean }): Promise<void> {
    await this.#copy(src, dest, options?.recursive === true ? "tree" : "file");
  }

  async mv(src: string, dest: string): Promise<void> {
    this.#files.rename(src, dest);
  }

  resolvePath(base: string, path: string): string {
    return path === "" ? NOWHERE : resolvePath(base, path);
  }

  getAllPaths(): string[] {
    const paths: string[] = [];
    const visit = (node: Inode, path: string) => {
      paths.push(path === "" ? "/" : path);
      if (node.kind === "dir" && !node.frozen) {
        node.entries.forEach((child, name) => {
          visit(child, `${path}/${name}`);
        });
      }
    };
    visit(this.#files.root, "");
    return paths;
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#files.setMeta(this.#files.find(path, "follow", "chmod"), { mode });
  }

  async symlink(target: string, linkPath: string): Promise<void> {
    this.#files.symlink(target, linkPath);
  }

  async link(existingPath: string, newPath: string): Promise<void> {
    this.#files.link(existingPath, newPath);
  }

  async readlink(path: string): Promise<string> {
    return this.#files.readlink(path);
  }

  async realpath(path: string): Promise<string> {
    return this.#files.realpath(path);
  }

  async utimes(path: string, _atime: Date, mtime: Date): Promise<void> {
    this.#files.setMeta(this.#files.find(path, "follow", "utime"), { mtime: mtime.getTime() });
  }

  async #read(path: string): Promise<Uint8Array> {
    if (STANDARD_INPUT.has(path)) {
      return bytesOf(this.#streams.text);
    }
    await this.#files.bring(path);
    return this.#files.readFile(path);
  }

  async #copy(src: string, dest: string, what: "tree" | "file"): Promise<void> {
    const node = this.#files.find(src, "follow", "cp");
    if (node.kind === "file") {
      await bring(node);
      this.#files.writeFile(dest, node.data.slice(0, node.size), node.mode);
      return;
    }
    if (node.kind !== "dir" || what === "file") {
      throw new FileError("EISDIR", "cp", src);
    }
    const names = [...node.entries.keys()];
    if (dest === src || dest.startsWith(`${src}/`)) {
      throw new FileError("EINVAL", "cp", src, dest);
    }
    this.#files.mkdirAll(dest);
    for (const name of names) {
      const link = this.#files.peek(`${src}/${name}`, "nofollow");
      if (link?.kind === "link") {
        this.#files.symlink(link.target, `${dest}/${name}`);
      } else {
        await this.#copy(`${src}/${name}`, `${dest}/${baseName(name)}`, "tree");
      }
    }
  }
}

function describe(node: Inode): FsStat {
  return {
    isFile: node.kind === "file",
    isDirectory: node.kind === "dir",
    isSymbolicLink: node.kind === "link",
    mode: fullMode(node),
    size: sizeOf(node),
    mtime: new Date(node.mtime),
    ino: node.ino,
    identity: String(node.ino),
  };
}

function encodingOf(options: Encoding): string {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

function decode(bytes: Uint8Array, encoding: string): string {
  return encoding === "utf8" || encoding === "utf-8" ? decodeText(bytes) : latin1(bytes);
}

function encode(content: FileContent, encoding: string): Uint8Array {
  if (typeof content !== "string") {
    return content;
  }
  return encoding === "utf8" || encoding === "utf-8" ? encodeText(content) : bytesOf(content);
}
