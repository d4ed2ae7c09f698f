/** Owns `ls`; never what a name's node is. */
import type { DirNode, Inode } from "../../files/inode.ts";
import { fullMode, sizeOf } from "../../files/inode.ts";
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { modeText } from "./stat.ts";
import { formatTime } from "./time-format.ts";
import { type Options, readOptions, type Surroundings } from "./tool.ts";

interface Entry {
  readonly name: string;
  readonly node: Inode;
  readonly path: string;
}

const NAMES = {
  all: "a",
  "almost-all": "A",
  directory: "d",
  classify: "F",
  "human-readable": "h",
  recursive: "R",
  reverse: "r",
  inode: "i",
  size: "s",
  color: "G",
  "full-time": "T",
  "group-directories-first": "D",
  "numeric-uid-gid": "n",
  "time-style": "z",
  sort: "Z",
};

/** Half a year: older files show their year. */
const RECENT_MS = 15_778_476_000;

export function ls(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "aAlhdRrtSFfgGiopns1LHkUXcuCxmqQTDz:Z:;v", NAMES);
  const { cwd, files } = around;
  const out: string[] = [];
  let stderr = "";
  const words = options.rest.length === 0 ? ["."] : [...options.rest];
  const entries = words.flatMap((name): Entry[] => {
    const path = resolvePath(cwd, name);
    const isLong = options.has("l") || options.has("d");
    const node =
      files.peek(path, isLong && !name.endsWith("/") ? "nofollow" : "follow") ?? files.peek(path, "nofollow");
    if (node === null) {
      stderr += `ls: cannot access '${name}': No such file or directory\n`;
      return [];
    }
    return [{ name, node, path }];
  });
  const isFolder = ({ node }: Entry) => node.kind === "dir" && !options.has("d");
  const single = entries.filter((entry) => !isFolder(entry));
  const folders = sorted(entries.filter(isFolder), options);
  out.push(...show(sorted(single, options), options, around));
  const headed = words.length > 1 || options.has("R");
  const visit = ({ name, node, path }: Entry) => {
    const inside = inFolder(node as DirNode, path, options);
    if (headed) {
      out.push(...(out.length > 0 ? [""] : []), `${name}:`);
    }
    if (options.has("l") || options.has("s")) {
      out.push(`total ${inside.reduce((sum, entry) => sum + Math.ceil(sizeOf(entry.node) / 4096) * 4, 0)}`);
    }
    out.push(...show(inside, options, around));
    if (options.has("R")) {
      for (const entry of inside) {
        if (entry.node.kind === "dir" && entry.name !== "." && entry.name !== "..") {
          visit({ ...entry, name: `${name.replace(/\/$/, "")}/${entry.name}` });
        }
      }
    }
  };
  folders.forEach(visit);
  return { stdout: out.map((line) => `${line}\n`).join(""), stderr, exitCode: stderr === "" ? 0 : 2 };
}

function inFolder(node: DirNode, path: string, options: Options): Entry[] {
  const all = [...node.entries].map(([name, child]) => ({ name, node: child, path: `${path}/${name}` }));
  const shown = options.has("a") || options.has("A") ? all : all.filter(({ name }) => !name.startsWith("."));
  const dots = options.has("a") ? [".", ".."].map((name) => ({ name, node, path })) : [];
  return options.has("r") ? [...sorted(shown, options), ...dots.reverse()] : [...dots, ...sorted(shown, options)];
}

function sorted(entries: readonly Entry[], options: Options): Entry[] {
  const by = options.value("Z");
  const byName = (a: Entry, b: Entry) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  const ending = ({ name }: Entry) => /(?<=.)\.[^.]*$/.exec(name)?.[0] ?? "";
  const order = (a: Entry, b: Entry): number => {
    if (options.has("S") || by === "size") {
      return sizeOf(b.node) - sizeOf(a.node) || byName(a, b);
    }
    if (options.has("t") || by === "time") {
      return b.node.mtime - a.node.mtime || byName(a, b);
    }
    if (options.has("X") || by === "extension") {
      return ending(a) < ending(b) ? -1 : ending(a) > ending(b) ? 1 : byName(a, b);
    }
    return options.has("v") || by === "version" ? a.name.localeCompare(b.name, "en", { numeric: true }) : byName(a, b);
  };
  const list = options.has("U") || options.has("f") ? [...entries] : [...entries].sort(order);
  const turned = options.has("r") ? list.reverse() : list;
  return options.has("D")
    ? [...turned].sort((a, b) => Number(b.node.kind === "dir") - Number(a.node.kind === "dir"))
    : turned;
}

function show(entries: readonly Entry[], options: Options, around: Surroundings): string[] {
  const isLong = options.has("l") || options.has("o") || options.has("g") || options.has("n");
  if (!isLong) {
    const names = entries.map((entry) => `${options.has("i") ? `${entry.node.ino} ` : ""}${shown(entry, options)}`);
    return options.has("m") ? (names.length > 0 ? [names.join(", ")] : []) : names;
  }
  const rows = entries.map((entry) => {
    const size = sizeOf(entry.node);
    const owner = options.has("n") ? "1000" : "agent";
    return {
      entry,
      links: String(entry.node.kind === "dir" ? 2 : 1),
      size: options.has("h") ? humanSize(size) : String(size),
      owners: `${options.has("g") ? "" : `${owner} `}${options.has("o") ? "" : `${owner} `}`,
    };
  });
  const width = Math.max(...rows.map(({ size }) => size.length), 0);
  return rows.map(({ entry, links, size, owners }) => {
    const { node } = entry;
    const target = node.kind === "link" ? ` -> ${node.target}` : "";
    const head = `${options.has("i") ? `${node.ino} ` : ""}${modeText(fullMode(node))} ${links} ${owners}`;
    return `${head}${size.padStart(width)} ${timeOf(node, options, around)} ${shown(entry, options)}${target}`;
  });
}

function timeOf({ mtime }: Inode, options: Options, { env }: Surroundings): string {
  const zone = env.TZ || "UTC";
  const style = options.value("z") ?? "";
  if (options.has("T") || style === "full-iso") {
    return formatTime("%Y-%m-%d %H:%M:%S.%N %z", mtime, zone);
  }
  if (style === "long-iso" || style.startsWith("+")) {
    return formatTime(style === "long-iso" ? "%Y-%m-%d %H:%M" : style.slice(1), mtime, zone);
  }
  return formatTime(Date.now() - mtime < RECENT_MS ? "%b %e %H:%M" : "%b %e  %Y", mtime, zone);
}

function shown({ name, node }: Entry, options: Options): string {
  const quoted = options.has("Q") ? JSON.stringify(name) : name;
  if (node.kind === "dir" && (options.has("F") || options.has("p"))) {
    return quoted.endsWith("/") ? quoted : `${quoted}/`;
  }
  if (!options.has("F")) {
    return quoted;
  }
  return `${quoted}${node.kind === "link" ? (options.has("l") ? "" : "@") : (node.mode & 0o111) !== 0 ? "*" : ""}`;
}

/** `1.5K` as `ls -h` and `du -h` write sizes. */
export function humanSize(size: number): string {
  const units = ["", "K", "M", "G", "T"];
  let value = size;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0
    ? String(size)
    : `${value < 10 ? (Math.ceil(value * 10) / 10).toFixed(1) : Math.ceil(value)}${units[unit]}`;
}
