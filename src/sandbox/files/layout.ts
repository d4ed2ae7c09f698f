/** Owns what a run finds on its file system when it starts: /skill, /tmp, a home, the names of commands; never the bytes' origin. */
import type { Absent, Device, DirNode, FileNode } from "./inode.ts";
import { resolvePath } from "./paths.ts";
import { Store } from "./store.ts";
import { Vfs } from "./vfs.ts";

export const SKILL_ROOT = "/skill";
export const HOME = "/home/agent";

/** Nodes a run may have; names cost memory too. */
const MOST_NODES = 20_000;
/** `#!` */
const SHEBANG = [0x23, 0x21];

/** Clients look for this file before they ask anybody; TLS itself is the platform's. */
const CERTIFICATES = new TextEncoder().encode("# Certificates are checked outside the sandbox.\n");

/** A file to put below /skill. */
export interface PlacedFile<Bytes = Uint8Array> {
  /** Relative to the skill's root. */
  readonly path: string;
  readonly bytes: Bytes;
}

export interface LayoutOptions {
  /** Files of the skill; their bytes stay shared until written. */
  readonly skill: readonly PlacedFile<Uint8Array | Absent>[];
  /** Files of this call, laid over the skill's. */
  readonly inputs: readonly PlacedFile[];
  /** Bytes the run may write. */
  readonly quota: number;
  /** What lies at /usr, sealed. */
  readonly usr: DirNode;
  readonly now: () => number;
  /** What `/dev/stdin`, `/dev/stdout` and `/dev/stderr` stand for. */
  readonly terminal?: Readonly<Record<string, Device>>;
}

/** A file as it was at the start of a run. */
export interface Original {
  readonly node: FileNode;
  readonly bytes: Uint8Array | Absent;
}

/** A run's file system and the skill's files as they were at its start. */
export interface Layout {
  readonly files: Vfs;
  /** Path below /skill → node and bytes at the start. */
  readonly original: ReadonlyMap<string, Original>;
}

/** Builds the file system of one run. */
export function layOut(options: LayoutOptions): Layout {
  const placed = new Map<string, Uint8Array | Absent>();
  for (const file of [...options.skill, ...options.inputs]) {
    // A path that would climb out is taken as one below the skill: nothing is ever placed elsewhere.
    placed.set(resolvePath("/", file.path).slice(1), file.bytes);
  }
  const limits = { bytes: options.quota, nodes: MOST_NODES + placed.size * 2 };
  const files = new Vfs(new Store(limits, options.now));
  for (const path of ["/tmp", HOME, "/etc", "/var/tmp", SKILL_ROOT]) {
    files.mkdirAll(path);
  }
  files.writeFile("/etc/hostname", new TextEncoder().encode("sandbox\n"));
  files.mkdirAll("/etc/ssl/certs");
  files.writeFile("/etc/ssl/certs/ca-certificates.crt", CERTIFICATES);
  placeSystem(files, options.usr);
  placeDevices(files, options.terminal ?? {});
  const original = new Map<string, Original>();
  for (const [path, bytes] of placed) {
    const full = `${SKILL_ROOT}/${path}`;
    const { dir, name } = ensureParent(files, full);
    const node = files.store.file(bytes, isExecutable(path, bytes) ? 0o755 : 0o644);
    files.attach(dir, name, node);
    original.set(path, { node, bytes });
  }
  return { files, original };
}

function ensureParent(files: Vfs, full: string) {
  files.mkdirAll(full.slice(0, full.lastIndexOf("/")));
  return files.parent(full, "open");
}

/** Modes are never data (DESIGN.md §4), so a script is what says it is one or lies where scripts lie. */
function isExecutable(path: string, bytes: Uint8Array | Absent): boolean {
  return (
    path.startsWith("scripts/") || (bytes instanceof Uint8Array && bytes[0] === SHEBANG[0] && bytes[1] === SHEBANG[1])
  );
}

const ignore = () => undefined;

const DEVICES: Readonly<Record<string, Device>> = {
  null: { read: () => 0, write: ignore },
  zero: { read: (into) => into.fill(0).length, write: ignore },
  random: { read: fillRandom, write: ignore },
  urandom: { read: fillRandom, write: ignore },
};

/** Bytes that `getRandomValues` gives at once. */
const RANDOM_CHUNK = 65_536;

function fillRandom(into: Uint8Array): number {
  for (let at = 0; at < into.length; at += RANDOM_CHUNK) {
    crypto.getRandomValues(into.subarray(at, at + RANDOM_CHUNK) as Uint8Array<ArrayBuffer>);
  }
  return into.length;
}

/** `/usr` is shared by all runs of the isolate; `/bin` leads into it. */
function placeSystem(files: Vfs, usr: DirNode): void {
  files.root.entries.set("usr", usr);
  files.symlink("/usr/bin", "/bin");
  files.symlink("/usr/lib", "/lib");
}

function placeDevices(files: Vfs, terminal: Readonly<Record<string, Device>>): void {
  files.mkdir("/dev");
  const dir = files.directory("/dev");
  for (const [name, device] of Object.entries({ ...DEVICES, ...terminal })) {
    const node = files.store.file(new Uint8Array(0), 0o666);
    files.attach(dir, name, Object.assign(node, { device }));
  }
}
