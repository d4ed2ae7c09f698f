/** Owns one shell process: a fresh just-bash over the run's files; never what other programs are. */
import { Bash } from "just-bash/browser";
import type { Process } from "../box/machine.ts";
import { resolvePath } from "../files/paths.ts";
import { shellCommands } from "./commands.ts";
import { ShellFiles, STANDARD_INPUT } from "./filesystem.ts";
import type { State, Streams } from "./inside.ts";
import { shellLimits } from "./limits.ts";
import { placed } from "./messages.ts";
import { shellFetch } from "./network.ts";
import { decodeScript } from "./source.ts";
import { bytesOf, encodeText, latin1 } from "./tools/text.ts";
import { parseWords, type ShellWords } from "./words.ts";

/** State of just-bash that has no public door. */
interface BashInside {
  readonly state: State & { sourceStack?: string[] };
}

/** What scripts ask for before they use what newer versions have. */
const BASH_VERSION = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];

/** Advice for whoever embeds just-bash. */
const ADVICE = /, increase executionLimits\.\w+(?=\n$)/;

/** Runs `bash` or `sh` with the words of a process; gives its exit status. */
export async function runShell(process: Process): Promise<number> {
  const words = parseWords(process.args);
  const script = await scriptOf(words, process);
  if (script === null) {
    process.stderr.writeText(`bash: ${words.file}: No such file or directory\n`);
    return 127;
  }
  return await execute(script, words, process);
}

async function scriptOf(words: ShellWords, process: Process): Promise<string | null> {
  if (words.command !== null) {
    return words.command;
  }
  if (words.file === null) {
    return new TextDecoder().decode(process.stdin);
  }
  const path = resolvePath(process.cwd, words.file);
  if (STANDARD_INPUT.has(path)) {
    return new TextDecoder().decode(process.stdin);
  }
  await process.machine.files.bring(path);
  const node = process.machine.files.peek(path);
  return node?.kind === "file" ? decodeScript(process.machine.files.readFile(path)) : null;
}

async function execute(script: string, words: ShellWords, process: Process): Promise<number> {
  const { machine } = process;
  const streams: Streams = { text: latin1(process.stdin), piped: false, merged: process.stdout === process.stderr };
  const bash = new Bash({
    fs: new ShellFiles(machine.files, streams),
    cwd: process.cwd,
    env: { ...process.env, SHLVL: String((Number(process.env.SHLVL) || 0) + 1) },
    executionLimits: shellLimits(machine.state.limits),
    customCommands: shellCommands(machine, streams),
    fetch: shellFetch(machine),
    sleep: (ms) => machine.sleep(ms),
    defenseInDepth: false,
    processInfo: { pid: 1, ppid: 0, uid: 1000, gid: 1000 },
  });
  const inside = bash as unknown as BashInside;
  if (words.file !== null) {
    inside.state.sourceStack = [words.file];
    inside.state.currentSource = words.file;
  }
  inside.state.arrays ??= new Map();
  inside.state.arrays.set("BASH_VERSINFO", {
    kind: "indexed",
    elements: new Map(BASH_VERSION.map((part, i) => [String(i), part])),
  });
  inside.state.sandboxStreams = streams;
  inside.state.sandboxNote = (limit) => (limit === "cpu" ? machine.state.stop(limit) : machine.state.note(limit));
  Object.assign(inside.state.options, words.options);
  const positional: Record<string, string> = {
    "0": words.name,
    "#": String(words.args.length),
    "@": words.args.join(" "),
    "*": words.args.join(" "),
  };
  words.args.forEach((word, i) => {
    positional[String(i + 1)] = word;
  });
  const stdin = words.file === null && words.command === null ? "" : latin1(process.stdin);
  const result = await bash.exec(script, {
    env: positional,
    cwd: process.cwd,
    rawScript: true,
    stdin,
    stdinKind: "bytes",
    signal: machine.state.signal,
  });
  process.stdout.write(resultBytes(result.stdout, result.stdoutKind));
  const stderr = placed(inside.state, 1, result.stderr.replace(ADVICE, ""));
  process.stderr.write(
    encodeText(machine.state.stopped === null ? stderr : stderr.replace(/.*: execution aborted\n$/, "")),
  );
  machine.state.throwIfStopped();
  return result.exitCode;
}

function resultBytes(text: string, kind: "text" | "bytes" | undefined): Uint8Array {
  return kind === "bytes" ? bytesOf(text) : encodeText(text);
}
