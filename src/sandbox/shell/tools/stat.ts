/** Owns `stat`, `touch`'s reading of times and how modes are written; never what a node is. */
import { fullMode, type Inode, sizeOf } from "../../files/inode.ts";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { paddedTo } from "./text.ts";
import { formatTime } from "./time-format.ts";
import { readOptions, type Surroundings } from "./tool.ts";

const KINDS = { file: "regular file", dir: "directory", link: "symbolic link" } as const;

export function stat(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "c:p:Ltf", {
    format: "c",
    printf: "p",
    dereference: "L",
    terse: "t",
    "file-system": "f",
  });
  const { cwd, files } = around;
  let stdout = "";
  let stderr = "";
  for (const name of options.rest) {
    const node = files.peek(resolvePath(cwd, name), options.has("L") ? "follow" : "nofollow");
    if (node === null) {
      stderr += `stat: cannot statx '${name}': No such file or directory\n`;
      continue;
    }
    const format = options.value("c");
    const printed = options.value("p");
    if (printed !== undefined) {
      stdout += fill(printed.replaceAll("\\n", "\n").replaceAll("\\t", "\t"), name, node, around);
    } else {
      stdout += `${fill(format ?? LONG, name, node, around)}\n`;
    }
  }
  return { stdout, stderr, exitCode: stderr === "" ? 0 : 1 };
}

const LONG =
  "  File: %N\n  Size: %s\t\tBlocks: %b          IO Block: 4096   %F\nDevice: 0,1\tInode: %i  Links: %h\n" +
  "Access: (%04a/%A)  Uid: ( %u/   %U)   Gid: ( %g/   %G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: -";

function fill(format: string, name: string, node: Inode, { env }: Surroundings): string {
  const mode = fullMode(node);
  const quoted = /^[\w./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
  const time = () => formatTime("%Y-%m-%d %H:%M:%S.%N %z", node.mtime, env.TZ || "UTC");
  const seconds = String(Math.floor(node.mtime / 1000));
  const size = sizeOf(node);
  const values: Readonly<Record<string, () => string>> = {
    n: () => name,
    N: () => (node.kind === "link" ? `'${name}' -> '${node.target}'` : format === LONG ? quoted : `'${name}'`),
    s: () => String(size),
    a: () => (mode & 0o7777).toString(8),
    f: () => mode.toString(16),
    A: () => modeText(mode),
    F: () => (node.kind === "file" && size === 0 ? "regular empty file" : KINDS[node.kind]),
    i: () => String(node.ino),
    h: () => (node.kind === "dir" ? "2" : "1"),
    b: () => String(Math.ceil(size / 4096) * 8),
    B: () => "512",
    o: () => "4096",
    u: () => "1000",
    g: () => "1000",
    U: () => "agent",
    G: () => "agent",
    d: () => "1",
    m: () => "/",
    X: () => seconds,
    Y: () => seconds,
    Z: () => seconds,
    W: () => "0",
    w: () => "-",
    x: time,
    y: time,
    z: time,
    "%": () => "%",
  };
  return format.replace(
    /%(-?)(0?)(\d*)([a-zA-Z%])/g,
    (whole, left: string, zero: string, width: string, letter: string) => {
      const text = values[letter]?.() ?? whole;
      const size = paddedTo(Number(width));
      return left === "-" ? text.padEnd(size) : text.padStart(size, zero === "0" ? "0" : " ");
    },
  );
}

/** `-rw-r--r--` */
export function modeText(mode: number): string {
  const kind = (mode & 0o170000) === 0o040000 ? "d" : (mode & 0o170000) === 0o120000 ? "l" : "-";
  const letters = [6, 3, 0].map((shift) => {
    const bits = (mode >> shift) & 7;
    return `${bits & 4 ? "r" : "-"}${bits & 2 ? "w" : "-"}${bits & 1 ? "x" : "-"}`;
  });
  return kind + letters.join("");
}
