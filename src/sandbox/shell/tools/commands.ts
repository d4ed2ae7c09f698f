/** Owns which tools there are by which names, and showing their failures; never how one works. */
import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { bring } from "../../files/absent.ts";
import { FileError } from "../../files/errors.ts";
import { withDescriptors } from "../descriptors.ts";
import type { Result, Streams } from "../inside.ts";
import { bc } from "./bc.ts";
import { hexdump, od, xxd } from "./bytes.ts";
import { date, touch } from "./date.ts";
import { diff } from "./diff.ts";
import { cksum, DIGEST_TOOLS, sum } from "./digests.ts";
import { du } from "./du.ts";
import { ENCODING_TOOLS } from "./encodings.ts";
import { expr } from "./expr.ts";
import { cut, fmt, getconf, numfmt } from "./figures.ts";
import { find } from "./find/find.ts";
import { grep } from "./grep.ts";
import { join, seq } from "./joined.ts";
import { factor, head, shuf, truncate, uniq, yes } from "./lines.ts";
import { ls } from "./ls.ts";
import { mkdir } from "./mkdir.ts";
import { openssl } from "./openssl.ts";
import { sort } from "./sort.ts";
import { stat } from "./stat.ts";
import { SYSTEM_TOOLS } from "./system.ts";
import { fail, type Surroundings, type Tool, UsageError } from "./tool.ts";
import { wc } from "./wc.ts";
import { WRAPPERS } from "./wrappers.ts";
import { xargs } from "./xargs.ts";

const TOOLS: Readonly<Record<string, Tool>> = {
  ...SYSTEM_TOOLS,
  ...DIGEST_TOOLS,
  ...ENCODING_TOOLS,
  ...WRAPPERS,
  bc,
  cksum,
  cut,
  date,
  diff,
  du,
  egrep: (args, around) => grep(args, around, "extended"),
  expr,
  factor,
  find,
  fgrep: (args, around) => grep(args, around, "fixed"),
  fmt,
  getconf,
  grep: (args, around) => grep(args, around),
  head,
  hd: (args, around) => hexdump(["-C", ...args], around),
  hexdump,
  join,
  ls,
  mkdir,
  numfmt,
  od,
  openssl,
  seq,
  shuf,
  sort,
  stat,
  sum,
  touch,
  truncate,
  uniq,
  wc,
  xargs,
  xxd,
  yes,
};

export const TOOL_NAMES: readonly string[] = Object.keys(TOOLS);

/** The statuses of tools that say 2 where others say 1. */
const TROUBLE: Readonly<Record<string, number>> = { diff: 2, ls: 2, cmp: 2, grep: 2, egrep: 2, fgrep: 2, sort: 2 };

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** The tools over a run's files. */
export function toolCommands(machine: Machine, streams: Streams): CustomCommand[] {
  return Object.entries(TOOLS).map(([name, run]) =>
    defineCommand(name, async (args, context) => {
      try {
        const around = surroundingsOf(machine, streams, context);
        return await withDescriptors(machine.files, args, context, () => untilAllIsHere(run, args, around));
      } catch (error) {
        if (error instanceof UsageError) {
          return fail(`${name}: ${error.message}`, TROUBLE[name] ?? 1);
        }
        if (error instanceof FileError) {
          const words = error.message.replace(/^[A-Z]+: |, .*$/g, "");
          const said = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
          return fail(`${name}: ${error.path ?? ""}: ${said}`, TROUBLE[name] ?? 1);
        }
        throw error;
      }
    }),
  );
}

/** Runs a tool, and again each time it has missed bytes of files. */
async function untilAllIsHere(run: Tool, args: readonly string[], around: Surroundings): Promise<Result> {
  for (;;) {
    around.missed.clear();
    const outcome = await Promise.resolve()
      .then(() => run(args, around))
      .then(
        (result) => () => result,
        (error: unknown) => () => {
          throw error;
        },
      );
    if (around.missed.size === 0) {
      return outcome();
    }
    for (const node of around.missed) {
      await bring(node);
    }
  }
}

function surroundingsOf(machine: Machine, streams: Streams, context: Context): Surroundings {
  const { cwd, exportedEnv = {} } = context;
  // A name that is not in it is not one of JavaScript's either.
  const env: Readonly<Record<string, string>> = Object.assign(Object.create(null), exportedEnv);
  return {
    cwd,
    env,
    stdin: String(context.stdin),
    files: machine.files,
    missed: new Set(),
    tick: () => machine.state.tick(),
    isPiped: streams.piped,
    execute: async ([command = "", ...args], stdin) =>
      (await context.exec?.(quoted(command), { cwd, env, args, stdin, stdinKind: "bytes" })) ??
      fail(`${command}: not found`, 127),
  };
}

const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
