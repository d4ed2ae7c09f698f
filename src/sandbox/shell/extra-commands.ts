/** Owns commands that scripts expect and just-bash lacks; never a program of its own. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import { FileError } from "../files/errors.ts";
import { directoryName, resolvePath } from "../files/paths.ts";
import type { Vfs } from "../files/vfs.ts";

interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly files: Vfs;
}

type Run = (args: readonly string[], around: Surroundings) => Answer;

const say = (stdout: string): Answer => ({ stdout, stderr: "", exitCode: 0 });
const fail = (stderr: string, exitCode = 1): Answer => ({ stdout: "", stderr: `${stderr}\n`, exitCode });
const isOption = (word: string) => word.startsWith("-") && word.length > 1;

const COMMANDS: Readonly<Record<string, Run>> = {
  mktemp,
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
  umask: () => say("0022\n"),
  ulimit: () => say("unlimited\n"),
  stty: () => fail("stty: 'standard input': Inappropriate ioctl for device"),
  tput: () => fail("tput: No value for $TERM and no -T specified", 2),
  kill: (args) => (args[0] === "-l" ? say("HUP INT QUIT KILL TERM\n") : fail("kill: no such process")),
  cmp,
  install,
  shuf,
  envsubst,
  xxd,
};

/** Names of the commands here. */
export const EXTRA_NAMES: readonly string[] = Object.keys(COMMANDS);

/** The commands over a run's files. */
export function extraCommands(files: Vfs): CustomCommand[] {
  return Object.entries(COMMANDS).map(([name, run]) =>
    defineCommand(name, async (args, context) => {
      try {
        return run(args, { cwd: context.cwd, env: context.exportedEnv ?? {}, stdin: String(context.stdin), files });
      } catch (error) {
        if (error instanceof FileError) {
          return fail(`${name}: ${error.path ?? ""}: ${error.message.replace(/^[A-Z]+: |, .*$/g, "")}`);
        }
        throw error;
      }
    }),
  );
}

function mktemp(args: readonly string[], { cwd, env, files }: Surroundings): Answer {
  const letters = args.filter(isOption).join("");
  const at = args.findIndex((word) => word === "-p" || word.startsWith("--tmpdir"));
  const base = at < 0 ? null : (args[at]?.split("=")[1] ?? args[at + 1] ?? null);
  const words = args.filter((word, i) => !isOption(word) && !(args[i - 1] === "-p"));
  const inTemp = base !== null || letters.includes("t") || words.length === 0;
  const template = words[0] ?? "tmp.XXXXXXXXXX";
  const run = /X{3,}(?=[^X]*$)/.exec(template)?.[0];
  if (run === undefined) {
    return fail(`mktemp: too few X's in template '${template}'`);
  }
  const name = template.replace(new RegExp(`${run}(?=[^X]*$)`), () => randomLetters(run.length));
  const path = inTemp && !name.startsWith("/") ? `${base ?? env.TMPDIR ?? "/tmp"}/${name}` : name;
  const full = resolvePath(cwd, path);
  if (!letters.includes("u")) {
    if (/(^|-)[a-z]*d/.test(args.find((word) => /^-[a-z]*d/.test(word) || word === "--directory") ?? "")) {
      files.mkdir(full, 0o700);
    } else {
      files.writeFile(full, new Uint8Array(0), 0o600);
    }
  }
  return say(`${path}\n`);
}

function randomLetters(count: number): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  return Array.from(crypto.getRandomValues(new Uint8Array(count)), (byte) => letters[byte % letters.length]).join("");
}

function realpath(args: readonly string[], { cwd, files }: Surroundings): Answer {
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

function relativeTo(from: string, to: string): string {
  const a = from.split("/").filter(Boolean);
  const b = to.split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && a[same] === b[same]) {
    same++;
  }
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/") || ".";
}

function uname(args: readonly string[]): Answer {
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

function cmp(args: readonly string[], { cwd, files }: Surroundings): Answer {
  const [a = "", b = ""] = args.filter((word) => !isOption(word));
  const left = files.readFile(resolvePath(cwd, a));
  const right = files.readFile(resolvePath(cwd, b));
  const at = left.findIndex((byte, i) => byte !== right[i]);
  if (at < 0 && left.length === right.length) {
    return say("");
  }
  const quiet = args.includes("-s") || args.includes("--silent") || args.includes("--quiet");
  return {
    ...fail(""),
    stderr: "",
    stdout: quiet ? "" : `${a} ${b} differ: byte ${(at < 0 ? Math.min(left.length, right.length) : at) + 1}, line 1\n`,
  };
}

function install(args: readonly string[], { cwd, files }: Surroundings): Answer {
  const words = args
    .filter((word, i) => !isOption(word) && !["-m", "-o", "-g"].includes(args[i - 1] ?? ""))
    .map((word) => resolvePath(cwd, word));
  const mode = Number.parseInt(args[args.indexOf("-m") + 1] ?? "", 8);
  if (args.includes("-d")) {
    for (const word of words) {
      files.mkdirAll(word);
    }
    return say("");
  }
  const target = words.pop() ?? cwd;
  for (const word of words) {
    const to = files.peek(target)?.kind === "dir" ? `${target}/${word.split("/").at(-1)}` : target;
    files.writeFile(to, files.readFile(word).slice());
    files.setMeta(files.find(to), { mode: args.includes("-m") ? mode : 0o755 });
  }
  return say("");
}

function shuf(args: readonly string[], { cwd, files, stdin }: Surroundings): Answer {
  const count = Number(args[args.indexOf("-n") + 1] ?? Number.POSITIVE_INFINITY);
  const range = /^(\d+)-(\d+)$/.exec(args[args.indexOf("-i") + 1] ?? "");
  const file = args.find((word, i) => !isOption(word) && args[i - 1] !== "-n" && args[i - 1] !== "-i");
  const text = file === undefined ? stdin : new TextDecoder().decode(files.readFile(resolvePath(cwd, file)));
  const lines =
    range === null
      ? text.replace(/\n$/, "").split("\n")
      : Array.from({ length: Number(range[2]) - Number(range[1]) + 1 }, (_, i) => String(Number(range[1]) + i));
  for (let i = lines.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [lines[i], lines[j]] = [lines[j] ?? "", lines[i] ?? ""];
  }
  return say(
    lines
      .slice(0, args.includes("-n") ? count : lines.length)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

function envsubst(_args: readonly string[], { env, stdin }: Surroundings): Answer {
  const text = new TextDecoder().decode(Uint8Array.from(stdin, (letter) => letter.charCodeAt(0)));
  return say(
    text.replace(
      /\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g,
      (_whole, braced?: string, plain?: string) => env[braced ?? plain ?? ""] ?? "",
    ),
  );
}

function xxd(args: readonly string[], { cwd, files, stdin }: Surroundings): Answer {
  const file = args.find((word) => !isOption(word));
  const bytes =
    file === undefined
      ? Uint8Array.from(stdin, (letter) => letter.charCodeAt(0))
      : files.readFile(resolvePath(cwd, file));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  if (args.includes("-p")) {
    return say(
      `${hex
        .join("")
        .replace(/(.{60})/g, "$1\n")
        .replace(/\n$/, "")}\n`,
    );
  }
  let out = "";
  for (let at = 0; at < bytes.length; at += 16) {
    const pairs = hex
      .slice(at, at + 16)
      .join("")
      .replace(/(.{4})/g, "$1 ")
      .padEnd(40);
    const text = Array.from(bytes.subarray(at, at + 16), (byte) =>
      byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".",
    ).join("");
    out += `${at.toString(16).padStart(8, "0")}: ${pairs} ${text}\n`;
  }
  return say(out);
}
