/** Owns finding what a run left behind below /skill and writing it down for the answer; never follows a link. */
import type { RunLimits, RunOutputFile } from "../../model/run.ts";
import type { DirNode, FileNode } from "./inode.ts";
import type { Layout } from "./layout.ts";
import { SKILL_ROOT } from "./layout.ts";

/** A file as a child gives it; the runner adds what kind of file it is. */
export type LeftFile = Omit<RunOutputFile, "media_type">;

export interface Changes {
  readonly files: readonly LeftFile[];
  /** True when there were more files, or more bytes, than may come back. */
  readonly cut: boolean;
}

/** The new and changed files below /skill, in path order, as many as the limits let through. */
export function collectChanges(layout: Layout, limits: Pick<RunLimits, "files" | "file_bytes">): Changes {
  const found: { path: string; node: FileNode }[] = [];
  const root = layout.files.peek(SKILL_ROOT, "nofollow");
  if (root?.kind === "dir") {
    walk(root, "", found);
  }
  const changed = found.filter(({ path, node }) => isChanged(layout, path, node));
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

function walk(dir: DirNode, prefix: string, found: { path: string; node: FileNode }[]): void {
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
  if (before.node === node && !node.owned) {
    return false;
  }
  return node.size !== before.bytes.length || before.bytes.some((byte, i) => byte !== node.data[i]);
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
