/** Owns how long the paths of a run's files may become, each of them and all together; never changes the tree but for what it notes of paths. */
import { FileError } from "./errors.ts";
import type { DirNode, Inode } from "./inode.ts";

/** Of one name, in bytes of UTF-8; a character has three at most for each of its units. */
const LONGEST_NAME = 255;
const SURELY_FITS = LONGEST_NAME / 3;
/** As on Linux, in characters. Nothing that goes through a tree goes deeper than this lets it. */
export const LONGEST_PATH = 4_095;
/** Characters that the paths of all nodes may have on average: whoever lists them all holds that many. */
const CHARACTERS_PER_NODE = 400;

const encoder = new TextEncoder();

/** Counts the paths of one file system. */
export class Names {
  readonly #limit: number;
  readonly #onFull: () => void;
  #characters = 0;

  /**
   * @param nodes how many there may be
   * @param onFull told when there is no more room
   */
  constructor(nodes: number, onFull: () => void) {
    this.#limit = nodes * CHARACTERS_PER_NODE;
    this.#onFull = onFull;
  }

  /** Counts a node's new name. Throws ENAMETOOLONG or ENOSPC. */
  add(dir: DirNode, name: string, node: Inode): void {
    const length = lengthOf(dir, name);
    this.#take(length);
    if (node.kind === "dir") {
      node.pathLength = length;
    }
  }

  remove(dir: DirNode, name: string): void {
    this.#characters -= lengthOf(dir, name);
  }

  /** Counts a node, and all below it, under a name in another place. Throws ENAMETOOLONG or ENOSPC. */
  move(node: Inode, from: DirNode, fromName: string, to: DirNode, toName: string): void {
    const longer = lengthOf(to, toName) - lengthOf(from, fromName);
    const dirs: DirNode[] = node.kind === "dir" ? [node] : [];
    let nodes = 1;
    for (const dir of dirs) {
      for (const [name, below] of dir.entries) {
        nodes++;
        if (below.kind === "dir") {
          dirs.push(below);
        }
        checkLength(dir.pathLength + 1 + name.length + longer);
      }
    }
    this.#take(nodes * longer);
    for (const dir of dirs) {
      dir.pathLength += longer;
    }
  }

  #take(characters: number): void {
    if (this.#characters + characters > this.#limit) {
      this.#onFull();
      throw new FileError("ENOSPC", "open");
    }
    this.#characters += characters;
  }
}

function lengthOf(dir: DirNode, name: string): number {
  if (name.length > SURELY_FITS && encoder.encode(name).length > LONGEST_NAME) {
    throw new FileError("ENAMETOOLONG", "open", name);
  }
  const length = dir.pathLength + 1 + name.length;
  checkLength(length);
  return length;
}

function checkLength(length: number): void {
  if (length > LONGEST_PATH) {
    throw new FileError("ENAMETOOLONG", "open");
  }
}
