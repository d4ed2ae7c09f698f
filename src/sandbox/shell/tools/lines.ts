/** Owns small tools on lines and files: `head`, `uniq`, `yes`, `truncate`, `shuf`, `factor`; never larger ones. */
import { resolvePath } from "../../files/paths.ts";
import type { Result } from "../inside.ts";
import { bytesOf, encodeText, latin1, linesOf } from "./text.ts";
import { fail, readBytes, readOptions, readText, type Surroundings, say, UsageError } from "./tool.ts";

const bytes = (content: Uint8Array): Result => ({
  stdout: latin1(content),
  stdoutKind: "bytes",
  stderr: "",
  exitCode: 0,
});

/** `2K` → 2048 */
export function sizeOfWord(word: string): number {
  const [, count, unit = "", thousand] = /^(\d+(?:\.\d+)?)([kKMGT]?)(i?B|B)?$/.exec(word) ?? [];
  if (count === undefined) {
    throw new UsageError(`invalid number: ‘${word}’`);
  }
  const base = thousand === "B" && unit !== "" ? 1000 : 1024;
  return Math.floor(Number(count) * base ** ["", "K", "M", "G", "T"].indexOf(unit.toUpperCase()));
}

/** What a pipe takes before its reader has had enough, for programs that would write for ever. */
const PIPE_BYTES = 1 << 20;
const SIGPIPE = 141;

export function yes(args: readonly string[], { isPiped, files }: Surroundings): Result {
  const words = args[0] === "--" ? args.slice(1) : args;
  const line = `${words.length === 0 ? "y" : words.join(" ")}\n`;
  // Without a reader it goes on until the disk is full or the output's limit is reached.
  const wanted = isPiped ? PIPE_BYTES : files.store.limits.bytes + 1;
  return { ...say(line.repeat(Math.ceil(wanted / line.length))), exitCode: isPiped ? SIGPIPE : 0 };
}

export function head(args: readonly string[], around: Surroundings): Result {
  const isValue = (i: number) => ["-n", "-c", "--lines", "--bytes"].includes(args[i - 1] ?? "");
  const words = args.map((word, i) => (isValue(i) ? word : word.replace(/^-(\d+)/, "-n$1")));
  const options = readOptions(words, "n:c:qvz", {
    lines: "n",
    bytes: "c",
    quiet: "q",
    silent: "q",
    verbose: "v",
    "zero-terminated": "z",
  });
  return eachFile("head", options.rest, { options, around }, (content) => {
    const count = options.value("c");
    if (count !== undefined) {
      return count.startsWith("-")
        ? content.subarray(0, Math.max(0, content.length - sizeOfWord(count.slice(1))))
        : content.subarray(0, sizeOfWord(count));
    }
    const wanted = options.value("n") ?? "10";
    const isBack = wanted.startsWith("-");
    const most = sizeOfWord(isBack ? wanted.slice(1) : wanted.replace(/^\+/, ""));
    const ends = lineEnds(content, options.has("z") ? 0 : 10);
    const last = isBack ? ends.length - most : Math.min(most, ends.length);
    return content.subarray(0, last <= 0 ? 0 : ends[last - 1]);
  });
}

/** Where each line ends, behind its newline. */
function lineEnds(content: Uint8Array, newline: number): number[] {
  const ends: number[] = [];
  for (let at = content.indexOf(newline); at >= 0; at = content.indexOf(newline, at + 1)) {
    ends.push(at + 1);
  }
  return content.length > (ends.at(-1) ?? 0) ? [...ends, content.length] : ends;
}

interface Case {
  readonly options: { has(letter: string): boolean };
  readonly around: Surroundings;
}

function eachFile(
  command: string,
  names: readonly string[],
  { options, around }: Case,
  work: (content: Uint8Array) => Uint8Array,
): Result {
  const list = names.length === 0 ? ["-"] : names;
  const headed = (list.length > 1 && !options.has("q")) || options.has("v");
  let stderr = "";
  let stdout = "";
  for (const [i, name] of list.entries()) {
    try {
      const content = work(readBytes(name, around));
      stdout += headed ? `${i === 0 ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n` : "";
      stdout += latin1(content);
    } catch (error) {
      if (error instanceof UsageError) {
        throw error;
      }
      stderr += `${command}: cannot open '${name}' for reading: No such file or directory\n`;
    }
  }
  return { stdout, stdoutKind: "bytes", stderr, exitCode: stderr === "" ? 0 : 1 };
}

export function uniq(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "cduif:s:w:zD", {
    count: "c",
    repeated: "d",
    unique: "u",
    "ignore-case": "i",
    "skip-fields": "f",
    "skip-chars": "s",
    "check-chars": "w",
    "all-repeated": "D",
  });
  const [name = "-", target] = options.rest;
  const key = (line: string) => {
    let text = line;
    for (let field = Number(options.value("f") ?? 0); field > 0 && text !== ""; field--) {
      text = text.replace(/^\s*\S*/, "");
    }
    text = text.slice(Number(options.value("s") ?? 0)).slice(0, Number(options.value("w") ?? text.length));
    return options.has("i") ? text.toLowerCase() : text;
  };
  const groups: string[][] = [];
  for (const line of linesOf(readText(name, around))) {
    const last = groups.at(-1);
    if (last !== undefined && key(last[0] ?? "") === key(line)) {
      last.push(line);
    } else {
      groups.push([line]);
    }
  }
  const wanted = groups.filter(
    (group) =>
      !(options.has("u") && group.length > 1) && !((options.has("d") || options.has("D")) && group.length === 1),
  );
  const lines = wanted.flatMap((group) =>
    options.has("D")
      ? group
      : group.slice(0, 1).map((line) => (options.has("c") ? `${String(group.length).padStart(7)} ${line}` : line)),
  );
  const content = encodeText(lines.map((line) => `${line}\n`).join(""));
  if (target !== undefined) {
    around.files.writeFile(resolvePath(around.cwd, target), content);
    return say("");
  }
  return bytes(content);
}

export async function truncate(args: readonly string[], { cwd, files }: Surroundings): Promise<Result> {
  const options = readOptions(args, "s:cr:o", { size: "s", "no-create": "c", reference: "r" });
  const given = options.value("s") ?? "0";
  const amount = sizeOfWord(given.replace(/^[-+<>]/, ""));
  for (const name of options.rest) {
    const path = resolvePath(cwd, name);
    const isThere = files.peek(path) !== null;
    if (!isThere && options.has("c")) {
      continue;
    }
    await files.bring(path);
    const old = isThere ? files.readFile(path) : new Uint8Array(0);
    const size = given.startsWith("+")
      ? old.length + amount
      : given.startsWith("-")
        ? Math.max(0, old.length - amount)
        : amount;
    if (size > files.store.limits.bytes) {
      return fail(`truncate: failed to truncate '${name}' at ${size} bytes: No space left on device`);
    }
    const content = new Uint8Array(size);
    content.set(old.subarray(0, size));
    files.writeFile(path, content);
  }
  return say("");
}

/** Lines that `shuf` makes itself. */
const MOST_SHUFFLED = 1_000_000;

export function shuf(args: readonly string[], around: Surroundings): Result {
  const options = readOptions(args, "n:i:ero:z", {
    "head-count": "n",
    "input-range": "i",
    echo: "e",
    repeat: "r",
    output: "o",
    "random-source": "z",
  });
  const [, from, to] = /^(\d+)-(\d+)$/.exec(options.value("i") ?? "") ?? [];
  const count = Number(options.value("n") ?? Number.POSITIVE_INFINITY);
  if (Number(to) - Number(from) > MOST_SHUFFLED) {
    return fail("shuf: memory exhausted");
  }
  const lines = options.has("e")
    ? [...options.rest]
    : from === undefined
      ? linesOf(readText(options.rest[0] ?? "-", around))
      : Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => String(Number(from) + i));
  const pick = (most: number) => Math.floor(Math.random() * most);
  if (options.has("r")) {
    const many = Math.min(count, MOST_SHUFFLED);
    return bytes(
      encodeText(
        Array.from({ length: lines.length === 0 ? 0 : many }, () => `${lines[pick(lines.length)]}\n`).join(""),
      ),
    );
  }
  for (let i = lines.length - 1; i > 0; i--) {
    const j = pick(i + 1);
    [lines[i], lines[j]] = [lines[j] ?? "", lines[i] ?? ""];
  }
  const content = encodeText(
    lines
      .slice(0, count)
      .map((line) => `${line}\n`)
      .join(""),
  );
  const target = options.value("o");
  if (target !== undefined) {
    around.files.writeFile(resolvePath(around.cwd, target), content);
    return say("");
  }
  return bytes(content);
}

/** Candidates that are tried for each step of the run's budget. */
const TRIED_PER_TICK = 1_024;

export async function factor(args: readonly string[], { stdin, tick }: Surroundings): Promise<Result> {
  const words = args.length > 0 ? args : new TextDecoder().decode(bytesOf(stdin)).split(/\s+/).filter(Boolean);
  const bad = words.find((word) => !/^\d{1,15}$/.test(word));
  if (bad !== undefined) {
    return fail(`factor: '${bad}' is not a valid positive integer`);
  }
  let stdout = "";
  for (const word of words) {
    const factors: number[] = [];
    let rest = Number(word);
    for (let i = 2; i * i <= rest; i++) {
      const turn = i % TRIED_PER_TICK === 0 ? tick() : undefined;
      if (turn !== undefined) {
        await turn;
      }
      for (; rest % i === 0 && rest > 0; rest /= i) {
        factors.push(i);
      }
    }
    stdout += `${word}:${[...factors, ...(rest > 1 ? [rest] : [])].map((one) => ` ${one}`).join("")}\n`;
  }
  return say(stdout);
}
