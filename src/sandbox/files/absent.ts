/** Owns files whose bytes are not here before they are opened; never where the bytes come from. */
import type { Absent, FileNode, Inode } from "./inode.ts";

/** Thrown where bytes are wanted at once that are not here. Who can wait brings them, and tries again. */
export class AbsentError extends Error {
  readonly node: FileNode;

  constructor(node: FileNode) {
    super("the bytes of a file are not here yet");
    this.node = node;
  }
}

/** The size of what is placed in a file. */
export function sizeOfContent(content: Uint8Array | Absent): number {
  return content instanceof Uint8Array ? content.length : content.size;
}

/** Waits for the bytes of a file; null where there is nothing to wait for. */
export function bring(node: Inode | null): Promise<void> | null {
  return node?.kind === "file" && node.absent !== undefined ? arrive(node, node.absent) : null;
}

async function arrive(node: FileNode, absent: Absent): Promise<void> {
  const bytes = await absent.bring();
  // It may have been written anew meanwhile.
  if (node.absent === absent) {
    node.data = bytes;
    node.absent = undefined;
  }
}

/** Does something that needs bytes at once, again and again until all that it needs are here. It must do nothing twice that counts. */
export async function withBytes<T>(work: () => T | Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof AbsentError)) {
        throw error;
      }
      await bring(error.node);
    }
  }
}
