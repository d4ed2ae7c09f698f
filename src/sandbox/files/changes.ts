/** Owns finding what a run left behind below /skill and writing it down for the answer; never follows a link. */
import type { RunLimits, RunOutputFile } from "../../model/run.ts";
import { bring, sizeOfContent } from "./absent.ts";
import type { DirNode, FileNode } from "./inode.ts";
import type { Layout, Original } from "./layout.ts";
import { SKILL_ROOT } from "./layout.ts";
import type { Vfs } from "./vfs.ts";

/** A file as a child gives it; the runner adds what kind of file it is. */
export type LeftFile = Omit<RunOutputFile, "media_type">;

export interface Changes {
  readonly files: readonly LeftFile[];
  /** True when there were more files, or more bytes, than may come back. */
  readonly cut: boolean;
}

/** A run's files below /skill, and the skill's as they were. Waits for all bytes that {@link collectChanges} needs of them. */
export async function bringChanges({ files, original }: Layout): Promise<Layout> {
  const originals = new Map<string, Original>(original);
  for (const { path, node } of filesBelowSkill(files)) {
    const before = original.get(path);
    if (before === undefined || before.node !== node) {
      await bring(node);
    }
    if (before !== undefined && !(before.bytes instanceof Uint8Array) && isSuspect(before, node)) {
      originals.set(path, { node: before.node, bytes: await before.bytes.bring() });
    }
  }
  return { files, original: originals };
}

/** The new and changed files below /skill, in path order, as many as the limits let through. */
export function collectChanges(layout: Layout, limits: Pick<RunLimits, "files" | "file_bytes">): Changes {
  const changed = filesBelowSkill(layout.files).filter(({ path, node }) => isChanged(layout, path, node));
  changed.sort((a, b) => (a.path < b.path ? -1 : 1));
  const files: LeftFile[] = [];
  let bytes = 0;
  for (const { path, node } of changed) {
    bytes += node.size;
    if (files.length >= limits.files || bytes > limits.file_bytes) {
      return { files, cut: true };
    }
    files.push(outputFile(path, node.data.subarray(0, node.size)));
  }
  return { files, cut: false };
}

interface Found {
  readonly path: string;
  readonly node: FileNode;
}

function filesBelowSkill(files: Vfs): Found[] {
  const found: Found[] = [];
  const root = files.peek(SKILL_ROOT, "nofollow");
  if (root?.kind === "dir") {
    walk(root, "", found);
  }
  return found;
}

function walk(dir: DirNode, prefix: string, found: Found[]): void {
  for (const [name, node] of dir.entries) {
    if (node.kind === "dir" && name !== "__pycache__") {
      walk(node, `${prefix}${name}/`, found);
    } else if (node.kind === "file") {
      found.push({ path: prefix + name, node });
    }
  }
}

function isChanged(layout: Layout, path: string, node: FileNode): boolean {
  const before = layout.original.get(path);
  if (before === undefined) {
    return true;
  }
  if (node.size !== sizeOfContent(before.bytes)) {
    return true;
  }
  const { bytes } = before;
  return isSuspect(before, node) && bytes instanceof Uint8Array && bytes.some((byte, i) => byte !== node.data[i]);
}

/** Only the bytes can tell whether a file of the same size is what it was. */
function isSuspect(before: Original, node: FileNode): boolean {
  return (before.node !== node || node.owned) && node.size === sizeOfContent(before.bytes);
}

function outputFile(path: string, bytes: Uint8Array): LeftFile {
  const text = asText(bytes);
  return text === null
    ? { path, size: bytes.length, encoding: "base64", content: base64(bytes) }
    : { path, size: bytes.length, encoding: "utf-8", content: text };
}

function asText(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) {
    return null;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const CHUNK = 0x6000;

function base64(bytes: Uint8Array): string {
  let out = "";
  // A multiple of three, so that the pieces join without padding between them.
  for (let at = 0; at < bytes.length; at += CHUNK) {
    out += btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  }
  return out;
}
