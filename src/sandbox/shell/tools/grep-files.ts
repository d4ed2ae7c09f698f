/** Owns which texts `grep` searches: standard input, files, the files of folders; never what is found in them. */
import type { DirNode } from "../../files/inode.ts";
import { resolvePath } from "../../files/paths.ts";
import { globOf } from "./glob.ts";
import { type Options, readText, type Surroundings } from "./tool.ts";

/** How to go through folders. */
export interface Walk {
  readonly options: Options;
  readonly around: Surroundings;
  /** Whether folders are gone through. */
  readonly isDeep: boolean;
  /** Whether nobody named the folder. */
  readonly isImplied: boolean;
  complain(name: string, words: string): void;
}

/** A text with the name it is shown under. */
export interface Input {
  readonly name: string;
  readonly text: string;
}

/** The texts that a word of the command line names. */
export function filesBelow(name: string, walk: Walk): Input[] {
  const { around, complain } = walk;
  if (name === "-" || name === "/dev/stdin") {
    return [{ name: walk.options.value("2") ?? "(standard input)", text: readText("-", around) }];
  }
  const node = around.files.peek(resolvePath(around.cwd, name));
  if (node === null) {
    complain(name, "No such file or directory");
    return [];
  }
  if (node.kind !== "dir") {
    return [{ name, text: readText(name, around) }];
  }
  if (!walk.isDeep) {
    complain(name, "Is a directory");
    return [];
  }
  return inFolder(walk.isImplied ? "" : `${name.replace(/\/$/, "")}/`, node, resolvePath(around.cwd, name), walk);
}

function inFolder(shown: string, node: DirNode, path: string, walk: Walk): Input[] {
  const { options, around } = walk;
  const fits = (letter: string, name: string) => options.values(letter).some((pattern) => globOf(pattern).test(name));
  return [...node.entries].flatMap(([name, child]): Input[] => {
    if (child.kind === "dir") {
      return fits("6", name) ? [] : inFolder(`${shown}${name}/`, child, `${path}/${name}`, walk);
    }
    const isLeftOut = (options.has("4") && !fits("4", name)) || fits("5", name);
    return child.kind === "link" || isLeftOut
      ? []
      : [{ name: shown + name, text: readText(`${path}/${name}`, around) }];
  });
}
