/** Owns what `find` knows of one place in the tree, and how `-printf` and `-ls` show it; never which places are found. */
import { fullMode, type Inode, sizeOf } from "../../../files/inode.ts";
import { baseName } from "../../../files/paths.ts";
import { modeText } from "../stat.ts";
import { formatTime } from "../time-format.ts";

/** A place that the walk has come to. */
export interface Entry {
  /** As it is printed. */
  readonly path: string;
  /** The word of the command line that led here. */
  readonly start: string;
  readonly absolute: string;
  readonly node: Inode;
  readonly depth: number;
}

/** Letters of kinds. */
export const KINDS = { file: "f", dir: "d", link: "l" } as const;

/** The last part of a path as it is printed. */
export function nameOf({ path }: Entry): string {
  return baseName(path.replace(/(?<=.)\/+$/, "")) || path;
}

function linksOf({ node }: Entry): number {
  return node.kind === "file" ? node.links : node.kind === "dir" ? 2 : 1;
}

/** Blocks of 512 bytes. */
function blocksOf({ node }: Entry): number {
  return Math.ceil(sizeOf(node) / 4096) * 8;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", "0": "\0", "\\": "\\" };

/** The text of `-printf`. */
export function printed(format: string, entry: Entry, zone: string): string {
  return format.replace(
    /\\(.)|%(-?)(0?)(\d*)([TAC])?([\s\S])/g,
    (
      whole,
      escaped: string | undefined,
      left: string,
      zero: string,
      width: string,
      time: string | undefined,
      letter: string,
    ) => {
      if (escaped !== undefined) {
        return ESCAPES[escaped] ?? whole;
      }
      const text = time === undefined ? factOf(letter, entry, zone) : timeOf(letter, entry.node.mtime, zone);
      const size = Math.min(Number(width), 4096);
      return left === "-" ? (text ?? whole).padEnd(size) : (text ?? whole).padStart(size, zero === "0" ? "0" : " ");
    },
  );
}

function factOf(letter: string, entry: Entry, zone: string): string | undefined {
  const { path, start, node, depth } = entry;
  const values: Readonly<Record<string, () => string>> = {
    p: () => path,
    f: () => nameOf(entry),
    h: () => (path.includes("/") ? path.slice(0, path.lastIndexOf("/")) || "/" : "."),
    P: () => (path === start ? "" : path.slice(start.length).replace(/^\//, "")),
    H: () => start,
    d: () => String(depth),
    s: () => String(sizeOf(node)),
    b: () => String(blocksOf(entry)),
    k: () => String(blocksOf(entry) / 2),
    y: () => KINDS[node.kind],
    Y: () => KINDS[node.kind],
    m: () => (fullMode(node) & 0o7777).toString(8),
    M: () => modeText(fullMode(node)),
    u: () => "agent",
    U: () => "1000",
    g: () => "agent",
    G: () => "1000",
    n: () => String(linksOf(entry)),
    i: () => String(node.ino),
    l: () => (node.kind === "link" ? node.target : ""),
    t: () => formatTime("%a %b %e %H:%M:%S.%N0 %Y", node.mtime, zone),
    a: () => formatTime("%a %b %e %H:%M:%S.%N0 %Y", node.mtime, zone),
    c: () => formatTime("%a %b %e %H:%M:%S.%N0 %Y", node.mtime, zone),
    "%": () => "%",
  };
  return values[letter]?.();
}

function timeOf(letter: string, ms: number, zone: string): string {
  switch (letter) {
    case "@":
      return `${Math.floor(ms / 1000)}.${String(Math.floor(ms % 1000)).padStart(3, "0")}0000000`;
    case "+":
      return formatTime("%Y-%m-%d+%H:%M:%S.%N0", ms, zone);
    case "S":
      return formatTime("%S.%N0", ms, zone);
    case "T":
      return formatTime("%H:%M:%S.%N0", ms, zone);
    default:
      return formatTime(`%${letter}`, ms, zone);
  }
}

/** A line of `-ls`. */
export function listed(entry: Entry, zone: string): string {
  const { node, path } = entry;
  const facts = [
    String(node.ino).padStart(9),
    String(blocksOf(entry) / 2).padStart(6),
    modeText(fullMode(node)),
    String(linksOf(entry)).padStart(3),
    "agent".padEnd(8),
    "agent".padEnd(8),
    String(sizeOf(node)).padStart(8),
    formatTime("%b %e %H:%M", node.mtime, zone),
    path + (node.kind === "link" ? ` -> ${node.target}` : ""),
  ];
  return `${facts.join(" ")}\n`;
}
