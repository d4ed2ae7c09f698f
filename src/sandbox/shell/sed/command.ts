/** Owns the command `sed`: its words and files; never scripts. */

import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Machine } from "../../box/machine.ts";
import { withBytes } from "../../files/absent.ts";
import { withDescriptors } from "../descriptors.ts";
import type { Result } from "../inside.ts";
import { encodeText, latin1 } from "../tools/text.ts";
import { type Options, readOptions, say, UsageError } from "../tools/tool.ts";
import { parseSed } from "./parse.ts";
import { Sed } from "./run.ts";
import { type Context, type Input, SedSurroundings } from "./surroundings.ts";

const NAMES = {
  quiet: "n",
  silent: "n",
  expression: "e",
  file: "f",
  "regexp-extended": "E",
  "in-place": "i",
  separate: "s",
  unbuffered: "u",
  "null-data": "z",
  "follow-symlinks": "F",
  posix: "P",
  debug: "D",
  "line-length": "l",
};

/** `sed` over a run's files. */
export function sedCommand(machine: Machine): CustomCommand {
  return defineCommand("sed", (args, context) =>
    withDescriptors(machine.files, args, context, () => sed(machine, args, context)),
  );
}

async function sed(machine: Machine, args: readonly string[], context: Context): Promise<Result> {
  if (args.includes("--version")) {
    return say("sed (GNU sed) 4.9\n");
  }
  const around = new SedSurroundings(machine, context);
  let status: number;
  try {
    status = await run(around, readOptions(args, "ne:f:Eri;suzFPDl:", NAMES));
  } catch (error) {
    if (!(error instanceof UsageError)) {
      throw error;
    }
    around.stderr += `sed: ${error.message}\n`;
    status = 1;
  }
  around.finish();
  const { stdout, stderr } = around;
  return { stdout: latin1(encodeText(stdout)), stdoutKind: "bytes", stderr, exitCode: status };
}

async function run(around: SedSurroundings, options: Options): Promise<number> {
  const { script, names } = await withBytes(() => scriptOf(options, (name) => around.textOf(name)));
  const commands = parseSed(script, options.has("E") || options.has("r") ? "extended" : "basic");
  const readLater = commands.filter(({ name }) => name === "r" || name === "R").map(({ text }) => text);
  for (const name of [...names, ...readLater]) {
    await around.bring(name);
  }
  const newline = options.has("z") ? "\0" : "\n";
  const settings = { quiet: options.has("n") || /^#n\n/.test(script), newline };
  const { inputs, status } = inputsOf(around, names, options);
  const edit = ({ name, text }: Input) => new Sed(commands, around, settings).run(text, name);
  if (!options.has("i") && !options.has("s")) {
    const whole = ending(inputs, newline).map(({ text }) => text);
    return (await edit({ name: inputs[0]?.name ?? "-", text: whole.join("") })) ?? status;
  }
  for (const input of options.has("i") ? inputs : ending(inputs, newline)) {
    const suffix = options.value("i") ?? "";
    const ended = await (options.has("i") ? around.inPlace(input, suffix, () => edit(input)) : edit(input));
    if (ended !== null) {
      return ended;
    }
  }
  return status;
}

/** The files up to the first folder, where GNU's gives up; of what is not there it is said. */
function inputsOf(
  around: SedSurroundings,
  names: readonly string[],
  options: Options,
): { readonly inputs: readonly Input[]; readonly status: number } {
  const inputs: Input[] = [];
  let status = 0;
  const gaveUp = (words: string) => {
    around.stderr += `sed: ${words}\n`;
    return { inputs, status: 4 };
  };
  for (const name of names.length === 0 ? ["-"] : names) {
    const kind = around.kindOf(name);
    if (kind === "file") {
      inputs.push({ name, text: around.textOf(name) });
    } else if (kind === "nothing") {
      around.stderr += `sed: can't read ${name}: No such file or directory\n`;
      status = 2;
    } else if (options.has("i")) {
      return gaveUp(`couldn't edit ${name}: not a regular file`);
    } else {
      return gaveUp(`read error on ${name}: Is a directory`);
    }
  }
  return { inputs, status };
}

/** The inputs, each but the last with an end to its last line: what is printed stays apart. */
function ending(inputs: readonly Input[], newline: string): readonly Input[] {
  return inputs.map(({ name, text }, i) => {
    const isWhole = i === inputs.length - 1 || text === "" || text.endsWith(newline);
    return { name, text: isWhole ? text : text + newline };
  });
}

function scriptOf(
  options: Options,
  read: (name: string) => string,
): { readonly script: string; readonly names: readonly string[] } {
  const parts = [...options.values("e"), ...options.values("f").map((name) => read(name).replace(/\n$/, ""))];
  if (parts.length > 0) {
    return { script: parts.join("\n"), names: options.rest };
  }
  const [script, ...names] = options.rest;
  if (script === undefined) {
    throw new UsageError("no script given");
  }
  return { script, names };
}
