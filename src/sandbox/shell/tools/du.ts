/** Owns `du`: room as a disk of 4 KiB blocks would give it; never bytes of files. */
import type { Inode } from "../../files/inode.ts";
import { sizeOf } from "../../files/inode.ts";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { globOf } from "./glob.ts";
import { readOptions, type Surroundings, UsageError } from "./tool.ts";

const BLOCK = 4096;
const UNITS = ["", "K", "M", "G", "T"];

const NAMES = {
  all: "a",
  "apparent-size": "A",
  bytes: "b",
  total: "c",
  "max-depth": "d",
  "human-readable": "h",
  "block-size": "B",
  summarize: "s",
  "separate-dirs": "S",
  exclude: "X",
  null: "0",
} as const;

/** One line: a path, and what lies below it. */
interface Row {
  readonly path: string;
  readonly bytes: number;
  readonly depth: number;
  readonly isDir: boolean;
}

export function du(args: readonly string[], { cwd, files }: Surroundings): Result {
  const options = readOptions(args, "aAbchd:kmsSxDLlB:X:0", NAMES);
  const depth = options.has("s") ? 0 : Number(options.value("d") ?? Number.POSITIVE_INFINITY);
  if (Number.isNaN(depth)) {
    throw new UsageError(`invalid maximum depth '${options.value("d")}'`);
  }
  const measure = options.has("A") || options.has("b") ? apparent : (node: Inode) => onDisk(apparent(node));
  const show = figure(options.has("b") ? "b" : options.has("h") ? "h" : options.has("m") ? "m" : "k");
  const end = options.has("0") ? "\0" : "\n";
  const left = options.values("X").map(globOf);
  const rows: Row[] = [];
  const visit = (node: Inode, path: string, at: number): number => {
    const below = node.kind === "dir" ? [...node.entries].filter(([name]) => !left.some((one) => one.test(name))) : [];
    const sizes = below.map(([name, child]) => visit(child, `${path.replace(/\/$/, "")}/${name}`, at + 1));
    const bytes = sizes.reduce((sum, size) => sum + size, measure(node));
    rows.push({ path, bytes, depth: at, isDir: node.kind === "dir" });
    return bytes;
  };
  let stderr = "";
  let total = 0;
  for (const name of options.rest.length === 0 ? ["."] : options.rest) {
    const node = files.peek(resolvePath(cwd, name), "nofollow");
    if (node === null) {
      stderr += `du: cannot access '${name}': No such file or directory\n`;
    } else {
      total += visit(node, name, 0);
    }
  }
  const shown = rows.filter((row) => row.depth <= depth && (row.isDir || row.depth === 0 || options.has("a")));
  const lines = shown.map(({ bytes, path }) => `${show(bytes)}\t${path}${end}`);
  const sum = options.has("c") ? `${show(total)}\ttotal${end}` : "";
  return { stdout: lines.join("") + sum, stderr, exitCode: stderr === "" ? 0 : 1 };
}

function apparent(node: Inode): number {
  return node.kind === "dir" ? BLOCK : sizeOf(node);
}

function onDisk(bytes: number): number {
  return Math.ceil(bytes / BLOCK) * BLOCK;
}

function figure(unit: "b" | "h" | "k" | "m"): (bytes: number) => string {
  return (bytes) => {
    if (unit !== "h") {
      return String(Math.ceil(bytes / { b: 1, k: 1024, m: 1 << 20 }[unit]));
    }
    const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
    const size = bytes / 1024 ** power;
    const rounded = power > 0 && size < 10 ? (Math.ceil(size * 10) / 10).toFixed(1) : String(Math.ceil(size));
    return `${rounded}${UNITS[power] ?? ""}`;
  };
}
