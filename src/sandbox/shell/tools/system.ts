/** Owns small commands about the machine and its files: `mktemp`, `realpath`, `uname`, `id`, `install`, `cmp`; never a program of its own. */
import { FileError } from "../../files/errors.ts";
import { directoryName, resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { bytesOf } from "./text.ts";
import { fail, readBytes, readOptions, type Surroundings, say, type Tool } from "./tool.ts";

const isOption = (word: string) => word.startsWith("-") && word.length > 1;

/** By name. */
export const SYSTEM_TOOLS: Readonly<Record<string, Tool>> = {
  mktemp,
  readlink,
  realpath,
  uname,
  id: (args) =>
    say(
      args.includes("-u") || args.includes("-g")
        ? "1000\n"
        : args.some((word) => /^-.*n/.test(word))
          ? "agent\n"
          : "uid=1000(agent) gid=1000(agent) groups=1000(agent)\n",
    ),
  groups: () => say("agent\n"),
  logname: () => say("agent\n"),
  nproc: () => say("1\n"),
  arch: () => say("x86_64\n"),
  tty: () => ({ stdout: "not a tty\n", stderr: "", exitCode: 1 }),
  sync: () => say(""),
  umask: (args) =>
    say(args.some((arg) => /^[0-7]+$|=/.test(arg)) ? "" : args.includes("-S") ? "u=rwx,g=rx,o=rx\n" : "0022\n"),
  ulimit: () => say("unlimited\n"),
  stty: () => fail("stty: 'standard input': Inappropriate ioctl for device"),
  tput: () => fail("tput: No value for $TERM and no -T specified", 2),
  who: () => say(""),
  users: () => say(""),
  kill: () => fail("kill: no such process"),
  cmp,
  install,
  envsubst,
};

function mktemp(args: readonly string[], { cwd, env, files }: Surroundings): Result {
  const options = readOptions(args, "dqutp:P;S:", {
    directory: "d",
    quiet: "q",
    "dry-run": "u",
    tmpdir: "P",
    suffix: "S",
  });
  const temp = env.TMPDIR || "/tmp";
  const base = options.value("p") ?? (options.has("P") ? options.value("P") || temp : null);
  const [given] = options.rest;
  const template = `${given ?? "tmp.XXXXXXXXXX"}${options.value("S") ?? ""}`;
  const run = /X{3,}(?=[^X/]*$)/.exec(template)?.[0];
  if (run === undefined) {
    return fail(`mktemp: too few X's in template ‘${template}’`);
  }
  const inTemp = base !== null || options.has("t") || given === undefined;
  const at = template.lastIndexOf(run);
  const name = template.slice(0, at) + randomLetters(run.length) + template.slice(at + run.length);
  const path = inTemp && !name.startsWith("/") ? `${base ?? temp}/${name}` : name;
  const full = resolvePath(cwd, path);
  if (files.peek(directoryName(full))?.kind !== "dir") {
    const kind = options.has("d") ? "directory" : "file";
    return fail(`mktemp: failed to create ${kind} via template ‘${template}’: No such file or directory`);
  }
  if (options.has("d") && !options.has("u")) {
    files.mkdir(full, 0o700);
  } else if (!options.has("u")) {
    files.writeFile(full, new Uint8Array(0), 0o600);
  }
  return say(`${path}\n`);
}

function randomLetters(count: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => letters[byte % letters.length]).join("");
}

function realpath(args: readonly string[], { cwd, files }: Surroundings): Result {
  const words = args.filter((word) => !isOption(word));
  const missingIsFine = args.includes("-m") || args.includes("--canonicalize-missing");
  const relative = args.find((word) => word.startsWith("--relative-to="))?.slice("--relative-to=".length);
  const lines = words.map((word) => {
    const path = resolvePath(cwd, word);
    const node = files.peek(path);
    const above = files.peek(directoryName(path));
    if (node === null && !missingIsFine && (above?.kind !== "dir" || args.includes("-e"))) {
      throw new FileError("ENOENT", "realpath", word);
    }
    const real = node === null ? path : files.realpath(path);
    return relative === undefined ? real : relativeTo(resolvePath(cwd, relative), real);
  });
  return say(lines.map((line) => `${line}\n`).join(""));
}

function readlink(args: readonly string[], { cwd, files }: Surroundings): Result {
  const options = readOptions(args, "femnqsvz", {
    canonicalize: "f",
    "canonicalize-existing": "e",
    "canonicalize-missing": "m",
    "no-newline": "n",
  });
  const isWhole = options.has("f") || options.has("e") || options.has("m");
  let exitCode = 0;
  const lines = options.rest.flatMap((word) => {
    const path = resolvePath(cwd, word);
    const node = files.peek(path, isWhole ? "follow" : "nofollow");
    if (isWhole && node !== null) {
      return [files.realpath(path)];
    }
    const above = directoryName(path);
    if (options.has("m") || (options.has("f") && files.peek(above)?.kind === "dir")) {
      const base = files.peek(above) === null ? above : files.realpath(above);
      return [`${base === "/" ? "" : base}/${path.split("/").at(-1)}`];
    }
    if (!isWhole && node?.kind === "link") {
      return [node.target];
    }
    exitCode = 1;
    return [];
  });
  return {
    ...say(lines.map((line) => `${line}${options.has("n") && lines.length === 1 ? "" : "\n"}`).join("")),
    exitCode,
  };
}

function relativeTo(from: string, to: string): string {
  const a = from.split("/").filter(Boolean);
  const b = to.split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && a[same] === b[same]) {
    same++;
  }
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}

function uname(args: readonly string[]): Result {
  const facts: readonly (readonly [string, string])[] = [
    ["s", "Linux"],
    ["n", "sandbox"],
    ["r", "6.6.0"],
    ["v", "#1 SMP"],
    ["m", "x86_64"],
    ["o", "GNU/Linux"],
  ];
  const letters = args.join("").replaceAll("-", "") || "s";
  const chosen = letters.includes("a") ? facts : facts.filter(([letter]) => letters.includes(letter));
  return say(`${chosen.map(([, word]) => word).join(" ")}\n`);
}

function cmp(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "sln:i:b", { silent: "s", quiet: "s", verbose: "l", bytes: "n" });
  const [a = "-", b = "-"] = options.rest;
  const most = Number(options.value("n") ?? Number.POSITIVE_INFINITY);
  const sides = [a, b].map((name) => (isThere(name, around) ? readBytes(name, around).subarray(0, most) : null));
  const [left, right] = sides;
  if (left === null || right === null || left === undefined || right === undefined) {
    const missing = left === null ? a : b;
    return options.has("s") ? { ...say(""), exitCode: 2 } : fail(`cmp: ${missing}: No such file or directory`, 2);
  }
  const size = Math.min(left.length, right.length);
  const places = Array.from({ length: size }, (_, i) => i).filter((i) => left[i] !== right[i]);
  const [at] = places;
  if (at === undefined && left.length === right.length) {
    return say("");
  }
  if (options.has("s")) {
    return { ...say(""), exitCode: 1 };
  }
  const line = left.subarray(0, at ?? size).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 1);
  if (options.has("l")) {
    const octal = (byte: number | undefined) => (byte ?? 0).toString(8).padStart(3);
    const width = String(Math.max(left.length, right.length)).length;
    const rows = places.map((i) => `${String(i + 1).padStart(width)} ${octal(left[i])} ${octal(right[i])}\n`);
    return { ...say(rows.join("")), exitCode: 1 };
  }
  if (at === undefined) {
    const shorter = left.length < right.length ? a : b;
    return fail(`cmp: EOF on ${shorter} after byte ${size}, in line ${line}`);
  }
  return { ...say(`${a} ${b} differ: byte ${at + 1}, line ${line}\n`), exitCode: 1 };
}

function isThere(name: string, { cwd, files }: Surroundings): boolean {
  return name === "-" || files.peek(resolvePath(cwd, name)) !== null;
}

async function install(args: readonly string[], around: Surroundings): Promise<Result> {
  const { cwd, files } = around;
  const options = readOptions(args, "dDm:o:g:t:TvpsbcC", {
    directory: "d",
    mode: "m",
    owner: "o",
    group: "g",
    "target-directory": "t",
    "no-target-directory": "T",
    verbose: "v",
    "preserve-timestamps": "p",
  });
  const given = options.value("m");
  const mode = given === undefined ? 0o755 : /^[0-7]+$/.test(given) ? Number.parseInt(given, 8) : 0o755;
  const words = options.rest.map((word) => resolvePath(cwd, word));
  if (options.has("d")) {
    for (const word of words) {
      files.mkdirAll(word);
      files.setMeta(files.find(word), { mode });
    }
    return say("");
  }
  const folder = options.value("t");
  const target = folder === undefined ? words.pop() : resolvePath(cwd, folder);
  if (target === undefined || words.length === 0) {
    return fail(`install: missing ${target === undefined ? "file" : "destination file"} operand`);
  }
  if (options.has("D")) {
    files.mkdirAll(folder === undefined ? directoryName(target) : target);
  }
  for (const [i, word] of words.entries()) {
    const shown = options.rest[i] ?? word;
    const isInput = word === "/dev/stdin";
    if (!isInput && files.peek(word)?.kind !== "file") {
      return fail(
        files.peek(word) === null
          ? `install: cannot stat '${shown}': No such file or directory`
          : `install: omitting directory '${shown}'`,
      );
    }
    await files.bring(word);
    const bytes = isInput ? readBytes(word, around) : files.readFile(word).slice();
    const to = files.peek(target)?.kind === "dir" && !options.has("T") ? `${target}/${word.split("/").at(-1)}` : target;
    files.writeFile(to, bytes);
    files.setMeta(files.find(to), { mode });
  }
  return say("");
}

function envsubst(args: readonly string[], { env, stdin }: Surroundings): Result {
  const list = args.find((word) => word.includes("$"));
  const only =
    list === undefined ? null : new Set([...list.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name = ""]) => name));
  const text = new TextDecoder().decode(bytesOf(stdin));
  return say(
    text.replace(/\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g, (whole, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? "";
      return only === null || only.has(name) ? (env[name] ?? "") : whole;
    }),
  );
}
