/** Owns commands that run another one as it is (`nohup`, `nice`), and those that only show a file; never what is run or shown. */
import type { Result } from "../inside.ts";
import { latin1 } from "./text.ts";
import { fail, readBytes, readOptions, type Surroundings, type Tool } from "./tool.ts";

/** Runs the words behind the options; there is one process at a time, so that no priority or session means anything. */
function running(letters: string, names: Readonly<Record<string, string>> = {}): Tool {
  return async (args, around) => {
    const { rest } = readOptions(args, letters, names, "first");
    return rest.length === 0 ? { stdout: "0\n", stderr: "", exitCode: 0 } : await run(rest, around);
  };
}

function run(words: readonly string[], around: Surroundings): Promise<Result> {
  return around.execute(words, around.stdin);
}

/** Without a terminal a pager is `cat`. */
const paging: Tool = (args, around) => {
  const names = args.filter((word) => !/^[-+]./.test(word));
  const texts = (names.length === 0 ? ["-"] : names).map((name) => latin1(readBytes(name, around)));
  return { stdout: texts.join(""), stdoutKind: "bytes", stderr: "", exitCode: 0 };
};

/** By name. */
export const WRAPPERS: Readonly<Record<string, Tool>> = {
  nohup: (args, around) => (args.length === 0 ? fail("nohup: missing operand", 125) : run(args, around)),
  nice: running("n:", { adjustment: "n" }),
  ionice: running("c:n:p:t", { class: "c", classdata: "n" }),
  setsid: running("cfw", { ctty: "c", fork: "f", wait: "w" }),
  stdbuf: running("i:o:e:", { input: "i", output: "o", error: "e" }),
  less: paging,
  more: paging,
};
